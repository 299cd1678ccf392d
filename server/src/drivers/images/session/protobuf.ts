// The subset of protobuf that BuildKit's messages need: varints and length-delimited fields (text, bytes, messages).

/** Fields of a message by number. A repeated field has several values; for a single one the last wins. */
export type ProtobufFields = Map<number, (bigint | Buffer)[]>;

const varint = 0;
const fixed64 = 1;
const withLength = 2;
const fixed32 = 5;

export function decodeMessage(message: Buffer): ProtobufFields {
  const fields: ProtobufFields = new Map();
  for (let at = 0; at < message.length;) {
    const [key, afterKey] = readVarint(message, at);
    const [value, next] = readValue(message, afterKey, Number(key & 7n));
    const number = Number(key >> 3n);
    const values = fields.get(number);
    if (values) values.push(value);
    else fields.set(number, [value]);
    at = next;
  }
  return fields;
}

function readValue(message: Buffer, at: number, kind: number): [bigint | Buffer, number] {
  if (kind === varint) return readVarint(message, at);
  const [length, from] =
    kind === withLength ? readVarint(message, at) : [kind === fixed64 ? 8n : kind === fixed32 ? 4n : -1n, at];
  const end = from + Number(length);
  if (length < 0n || end > message.length) throw new Error('the engine sent an invalid message');
  return [message.subarray(from, end), end];
}

function readVarint(message: Buffer, from: number): [bigint, number] {
  let value = 0n;
  for (let at = from, shift = 0n; at < message.length && shift < 70n; at++, shift += 7n) {
    value |= BigInt(message[at]! & 0x7f) << shift;
    if (message[at]! < 0x80) return [BigInt.asUintN(64, value), at + 1];
  }
  throw new Error('the engine sent an endless number');
}

const last = (fields: ProtobufFields, number: number) => fields.get(number)?.at(-1);

export function numberField(fields: ProtobufFields, number: number): number {
  const value = last(fields, number);
  return typeof value === 'bigint' ? Number(BigInt.asIntN(64, value)) : 0;
}

export function bytesField(fields: ProtobufFields, number: number): Buffer {
  const value = last(fields, number);
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}

export const textField = (fields: ProtobufFields, number: number): string =>
  bytesField(fields, number).toString('utf8');

export const hasField = (fields: ProtobufFields, number: number): boolean => fields.has(number);

/** Embedded messages, in order. */
export const messageFields = (fields: ProtobufFields, number: number): ProtobufFields[] =>
  (fields.get(number) ?? []).flatMap((value) => (Buffer.isBuffer(value) ? [decodeMessage(value)] : []));

/** Encodes a message. Omits zero and empty values, which are defaults. */
export function encodeMessage(fields: [number: number, value: number | bigint | string | Buffer][]): Buffer {
  const parts: Buffer[] = [];
  for (const [number, value] of fields) {
    if (typeof value === 'number' || typeof value === 'bigint') {
      if (value) parts.push(writeVarint((number << 3) | varint), writeVarint(value));
      continue;
    }
    const content = Buffer.isBuffer(value) ? value : Buffer.from(value);
    if (content.length) parts.push(writeVarint((number << 3) | withLength), writeVarint(content.length), content);
  }
  return Buffer.concat(parts);
}

/** Encodes an embedded message, even if it is empty. */
export const encodeEmbedded = (number: number, message: Buffer): Buffer =>
  Buffer.concat([writeVarint((number << 3) | withLength), writeVarint(message.length), message]);

function writeVarint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
