/** Values shorter than this are words like `true`; redacting those would make logs unreadable and protect nothing. */
const shortest = 8;
/** This much of the beginning of a value is redacted even if the text continues differently. It also keeps the search
 * linear. */
const enough = 40;
/** A value is searched for by this many characters from its start; from there the rest of the text is redacted. */
const longestSearched = 4096;
/** Total characters of all values. For very many long values, a shorter beginning of each is searched for. */
const mostSearched = 262_144;
/** Failed partial matches per text, besides one for every 16 characters. Above that the rest of the text is redacted:
 * it nearly consists of secrets, and comparing it costs the most. */
const leastTries = 64;
/** Marks a cut line: a value right before it may be cut too. */
export const cutLineMark = ' [line cut]';
const mask = '[hidden]';

type Form = { text: string; hidesRest: boolean; prefix: Form | undefined };

/** Returns a function that redacts secret values in a text: verbatim, each line of a longer one, as JSON, base64 and
 * URL-encoded, and the beginning of one cut off by the end of the text or of a cut line. The time is linear in the
 * text, whatever the values are; a regular expression with as many values as a project may have would take the
 * process down. Building it takes milliseconds, so build it once for many texts. */
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

/** Returns how many characters at the start of the text are secret. `forms` are sorted, so the two neighbors share
 * most with it. */
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

/** Indexes forms by their first characters, sorted, each with its longest proper prefix; and the hashes of all
 * heads. */
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

/** Returns every form in which a value is searched for. */
export function formsOf(value: string): string[] {
  const found = new Map<string, boolean>();
  addForms(found, value, longestSearched);
  return [...found.keys()];
}

/** Adds each form, and whether it is truncated. */
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
    // Form encoding.
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

/** Never splits a surrogate pair. */
const beginning = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');

/** Base64 of the value alone and inside something longer (`user:password`): three bytes are four characters, so
 * there are three alignments. The characters at both ends depend on the neighbors and are left out. */
function base64Forms(bytes: Buffer): string[] {
  const inside = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const known = Math.floor((whole.length * 8) / 6);
    return whole.toString('base64').slice(before && before + 1, known);
  });
  const standard = [bytes.toString('base64').replace(/=+$/, ''), ...inside];
  return [...standard, ...standard.map((each) => each.replaceAll('+', '-').replaceAll('/', '_'))];
}
