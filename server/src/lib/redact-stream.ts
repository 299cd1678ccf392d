import { Transform } from 'node:stream';
import { formsOf, redactor } from './redact.ts';

/** Hides values in what passes, also where one is cut by the end of a chunk. Nothing is held back but what may be the begin of one. */
export function redactingStream(values: string[]): Transform {
  const [hide, forms] = [redactor(values), values.flatMap(formsOf)];
  let begun = '';
  return new Transform({
    transform(chunk: Buffer, _, done) {
      // One character for each byte: whatever the bytes are, they come out as they went in.
      const text = begun + chunk.toString('latin1');
      const end = text.length - openEnd(text, forms);
      begun = text.slice(end);
      done(null, Buffer.from(hide(text.slice(0, end)), 'latin1'));
    },
    flush(done) {
      done(null, Buffer.from(hide(begun), 'latin1'));
    },
  });
}

/** How many characters at the end may be the begin of one of the forms. */
function openEnd(text: string, forms: string[]): number {
  const longest = Math.max(0, ...forms.map(({ length }) => length - 1));
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (forms.some((form) => form.length > length && form.startsWith(end))) return length;
  }
  return 0;
}
