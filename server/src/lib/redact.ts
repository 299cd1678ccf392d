/** Values shorter than this are words like `true`; redacting those would make logs unreadable and protect nothing. */
const shortest = 8;
/** As much of the beginning of a value is redacted even where the text goes on differently. It also keeps the search linear. */
const enough = 40;
/** A value is searched for by this many characters from its start; from there the rest of the text is redacted. */
const longestSearched = 4096;
/** Characters of all values together. Of very many long values, a shorter beginning of each is searched for. */
const mostSearched = 262_144;
/** Beginnings of values in one text that turn out to be none, besides one for every 16 characters. The rest of a text with
 * more of them is redacted: it is nearly made of secrets, and comparing it costs the most. */
const leastTries = 64;
/** Stands where a line was cut: a value right before it may have been cut too. */
export const cutLineMark = ' [line cut]';
const mask = '[hidden]';

type Form = { text: string; hidesRest: boolean; prefix: Form | undefined };

/** Replaces secret values wherever they stand in a text: as they are, each line of a longer one, as JSON, base64 and
 * URL-encoded, and the beginning of one that the end of the text, or of a line that was cut, cuts off.
 *
 * The time is linear in the text, whatever the values are. A regular expression is not: with as many values as a project
 * may have, it takes the process down. Building it takes milliseconds: once for many texts. */
export function redactor(values: string[]): (text: string) => string {
  const { byHead, begins } = indexed(values);
  if (!byHead.size) return (text) => text;
  const redact = (text: string): string => {
    let [hidden, from] = ['', 0];
    const end = text.endsWith(cutLineMark) ? text.length - cutLineMark.length : text.length;
    let triesLeft = leastTries + (end >> 4);
    for (let at = 0; at <= end - shortest; at++) {
      if (!begins[headHash(text, at)]) continue;
      const forms = byHead.get(text.slice(at, at + shortest));
      if (!forms) continue;
      const length = triesLeft > 0 ? matchLength(forms, text.slice(at, end)) : end - at;
      if (!length) {
        triesLeft--;
        continue;
      }
      hidden += text.slice(from, at) + mask;
      from = at + length;
      at = from - 1;
    }
    return hidden + text.slice(from);
  };
  return (text) => {
    const whole = redact(text);
    const parts = whole.split(cutLineMark);
    return parts.length > 1 ? parts.map(redact).join(cutLineMark) : whole;
  };
}

/** How much of the beginning of the text is a secret. `forms` are sorted, so the two around the text share most with it. */
function matchLength(forms: Form[], text: string): number {
  let [low, high] = [0, forms.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (forms[middle]!.text <= text) low = middle + 1;
    else high = middle;
  }
  const [before, after] = [forms[low - 1], forms[low]];
  const shared = before ? sharedLength(before.text, text) : 0;
  const most = Math.max(shared, after ? sharedLength(after.text, text) : 0);
  let whole = before;
  while (whole && whole.text.length > shared) whole = whole.prefix;
  if (whole?.hidesRest) return text.length;
  return Math.max(whole?.text.length ?? 0, most >= enough || most === text.length ? most : 0);
}

function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}

const headHash = (text: string, at: number): number =>
  (text.charCodeAt(at) +
    text.charCodeAt(at + 1) * 31 +
    text.charCodeAt(at + 2) * 961 +
    text.charCodeAt(at + 3) * 29_791) &
  0xffff;

/** Forms by their first characters, sorted, each with the longest other one that it begins with; and which hashes any of
 * them begins with. */
function indexed(values: string[]): { byHead: Map<string, Form[]>; begins: Uint8Array } {
  const different = new Set(values);
  const length = Math.max(enough, Math.min(longestSearched, Math.floor(mostSearched / different.size)));
  const found = new Map<string, boolean>();
  for (const value of different) addForms(found, value, length);
  const byHead = new Map<string, Form[]>();
  const begins = new Uint8Array(65_536);
  for (const text of [...found.keys()].toSorted()) {
    const head = text.slice(0, shortest);
    const forms = byHead.get(head);
    let prefix = forms?.at(-1);
    while (prefix && !text.startsWith(prefix.text)) prefix = prefix.prefix;
    const form = { text, hidesRest: found.get(text)! || prefix?.hidesRest === true, prefix };
    if (forms) forms.push(form);
    else byHead.set(head, [form]);
    begins[headHash(text, 0)] = 1;
  }
  return { byHead, begins };
}

/** Each way in which a value is searched for. */
export function formsOf(value: string): string[] {
  const found = new Map<string, boolean>();
  addForms(found, value, longestSearched);
  return [...found.keys()];
}

/** With each form: whether it is only the beginning of one. */
function addForms(found: Map<string, boolean>, value: string, length: number): void {
  const add = (form: string, isCut: boolean) => {
    const text = form.trim();
    if (text.length >= shortest) found.set(text, isCut || found.get(text) === true);
  };
  const whole = value.toWellFormed();
  const start = beginning(whole, length);
  const encoded = [
    encodeURIComponent(start),
    encodeURI(start),
    // As forms send it.
    new URLSearchParams([['', start]]).toString().slice(1),
  ];
  const forms = [
    start,
    JSON.stringify(start).slice(1, -1),
    ...encoded,
    ...encoded.map((each) => each.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())),
    ...base64Forms(Buffer.from(start)),
  ];
  for (const form of forms) add(form, start.length < whole.length);
  for (const line of whole.split('\n')) add(beginning(line.trimStart(), length), line.length > length);
}

/** Never half of a character. */
const beginning = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');

/** By itself, and inside of something longer (`user:password`): three bytes are four characters, so there are three
 * ways to stand there. What is left out at both ends depends on the neighbours. */
function base64Forms(bytes: Buffer): string[] {
  const inside = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const known = Math.floor((whole.length * 8) / 6);
    return whole.toString('base64').slice(before && before + 1, known);
  });
  const standard = [bytes.toString('base64').replace(/=+$/, ''), ...inside];
  return [...standard, ...standard.map((each) => each.replaceAll('+', '-').replaceAll('/', '_'))];
}
