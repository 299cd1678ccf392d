/** Values shorter than this are words like `true`; hiding those would make logs unreadable and give nothing away. */
const shortest = 8;
/** What stands behind a line that was cut short: before it a value may have been cut too. */
export const cutLineMark = ' [line cut]';
/** Characters compared for one text, after which the rest of it is hidden: text that is all but made of secrets. */
const mostCompared = 2_000_000;
const mask = '[hidden]';

/** Replaces secret values wherever they stand in a text: as they are, each line of a longer one, as JSON, base64 and
 * URL-encoded, and the begin of one that the end of the text cuts off.
 *
 * Not by a regular expression: as many values as a project may have make one that takes the whole process down. */
export function redactor(values: string[]): (text: string) => string {
  const forms = indexed(values);
  if (!forms.byHead.size) return (text) => text;
  return (text) => {
    let [hidden, from, compared] = ['', 0, 0];
    const end = text.endsWith(cutLineMark) ? text.length - cutLineMark.length : text.length;
    for (let at = 0; at <= end - shortest; at++) {
      if (!forms.first[text.charCodeAt(at) & 0xff]) continue;
      for (const form of forms.byHead.get(text.slice(at, at + shortest)) ?? []) {
        const there = text.slice(at, Math.min(at + form.length, end));
        compared += there.length;
        if (compared > mostCompared) return hidden + text.slice(from, at) + mask;
        if (there !== form && !(at + there.length === end && form.startsWith(there))) continue;
        hidden += text.slice(from, at) + mask;
        from = at + there.length;
        break;
      }
      if (from > at) at = from - 1;
    }
    return hidden + text.slice(from);
  };
}

/** Forms by their first characters, the longest first; and which characters any of them begins with. */
function indexed(values: string[]): { byHead: Map<string, string[]>; first: Uint8Array } {
  const byHead = new Map<string, string[]>();
  const first = new Uint8Array(256);
  const longestFirst = [...new Set(values.flatMap(formsOf))].toSorted((a, b) => b.length - a.length);
  for (const form of longestFirst) {
    first[form.charCodeAt(0) & 0xff] = 1;
    const head = form.slice(0, shortest);
    const known = byHead.get(head);
    if (known) known.push(form);
    else byHead.set(head, [form]);
  }
  return { byHead, first };
}

/** Each way in which a value is looked for. */
export function formsOf(value: string): string[] {
  const text = value.toWellFormed();
  const encoded = [
    encodeURIComponent(text),
    encodeURI(text),
    // As forms send it.
    new URLSearchParams([['', text]]).toString().slice(1),
  ];
  const forms = [
    text,
    ...text.split(/\r?\n/),
    JSON.stringify(text).slice(1, -1),
    ...encoded,
    ...encoded.map((each) => each.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())),
    ...base64Forms(Buffer.from(text)),
  ];
  return forms.map((form) => form.trim()).filter((form) => form.length >= shortest);
}

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
