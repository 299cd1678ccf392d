// The subset of ASN.1 DER that a certificate request needs.

function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]);
}

/** Short lengths are one byte; longer ones are prefixed with their number of bytes. */
function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export const derSequence = (...content: Buffer[]): Buffer => der(0x30, ...content);
export const derSet = (...content: Buffer[]): Buffer => der(0x31, ...content);
export const derInteger = (value: number): Buffer => der(0x02, Buffer.from([value]));
export const derOctets = (content: Buffer): Buffer => der(0x04, content);
export const derBits = (content: Buffer): Buffer => der(0x03, Buffer.from([0]), content);
/** A context-specific tag; `isBare` for a primitive value. */
export const derTagged = (number: number, content: Buffer, { isBare } = { isBare: false }): Buffer =>
  der((isBare ? 0x80 : 0xa0) | number, content);

/** `1.2.840.10045.4.3.2` */
export function derObjectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(sevenBits)]));
}

/** Base 128; all bytes but the last have the continuation bit. */
function sevenBits(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) bytes.unshift((left & 0x7f) | 0x80);
  return bytes;
}
