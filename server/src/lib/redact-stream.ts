import { Transform } from 'node:stream';
import { formsOf, redactor } from './redact.ts';

/** Redacts values in a stream, also across chunk boundaries. Holds back only a possible beginning of a value. */
export function redactingStream(values: string[]): Transform {
  // As latin1 each byte is one character, so all other bytes pass unchanged. The values are searched for in the same
  // form, and as they are for base64 and URL encoding.
  const searched = [...new Set([...values, ...values.map((value) => Buffer.from(value).toString('latin1'))])];
  const [hide, forms] = [redactor(searched), searched.flatMap(formsOf)];
  let begun = '';
  return new Transform({
    transform(chunk: Buffer, _, done) {
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

/** Returns how many characters at the end may be the beginning of a value. */
function openEnd(text: string, forms: string[]): number {
  const longest = Math.max(0, ...forms.map(({ length }) => length - 1));
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (forms.some((form) => form.length > length && form.startsWith(end))) return length;
  }
  return 0;
}
