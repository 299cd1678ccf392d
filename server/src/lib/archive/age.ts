import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { type AgeIdentity, publicKeyOf } from './age-keys.ts';
import { ArchiveError } from './reader.ts';

// The age file format with X25519 recipients, as `age -r` writes it. The pure JavaScript ciphers of the npm package
// are six times slower than node:crypto, and backups are large.

const firstLine = 'age-encryption.org/v1';
const chunkBytes = 65_536;
const tagBytes = 16;
const cipher = 'chacha20-poly1305';
const longestHeader = 65_536;

/** Encrypts a stream, which it receives in chunks of any size. The recipients are public X25519 keys; each of them can
 * decrypt it. */
export class AgeWriter {
  readonly #write: (bytes: Buffer) => void;
  readonly #key: KeyObject;
  readonly #counter = new Counter();
  readonly #plain = Buffer.allocUnsafeSlow(chunkBytes);
  #used = 0;

  /** `write` must not keep the bytes. */
  constructor(recipients: Buffer[], write: (bytes: Buffer) => void) {
    this.#write = write;
    const [fileKey, nonce] = [randomBytes(16), randomBytes(16)];
    this.#key = createSecretKey(hkdf(fileKey, nonce, 'payload'));
    write(Buffer.concat([Buffer.from(headerFor(fileKey, recipients)), nonce]));
  }

  add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      // Only the last chunk is marked as such, and may be shorter.
      if (this.#used === chunkBytes) this.#seal(false);
      const count = chunk.copy(this.#plain, this.#used, at);
      [at, this.#used] = [at + count, this.#used + count];
    }
  }

  end(): void {
    this.#seal(true);
  }

  #seal(isLast: boolean): void {
    const { body, tag } = sealed(this.#key, this.#counter.next(isLast), this.#plain.subarray(0, this.#used));
    this.#write(body);
    this.#write(tag);
    freeBuffer(body);
    this.#used = 0;
  }
}

/** Returns the memory of a buffer at once; the garbage collector lets tens of megabytes of them grow. */
export function freeBuffer({ buffer }: Buffer): void {
  (buffer as ArrayBuffer).transfer(0);
}

/** Yields the decrypted stream, with any of the identities that fits. Each chunk is authenticated before it is yielded; a truncated stream throws. */
export async function* decryptAge(
  encrypted: AsyncIterable<Buffer>,
  identities: AgeIdentity[],
): AsyncGenerator<Buffer, void, undefined> {
  const chunks = encrypted[Symbol.asyncIterator]();
  const { fileKey, nonce, rest } = await readHeader(chunks, identities);
  const key = createSecretKey(hkdf(fileKey, nonce, 'payload'));
  const counter = new Counter();
  let held: Buffer | undefined;
  for await (const chunk of piecesOf(following(rest, chunks), chunkBytes + tagBytes)) {
    if (held) yield opened(key, counter.next(false), held);
    held = chunk;
  }
  if (!held) throw new ArchiveError('the archive is cut off');
  const last = opened(key, counter.next(true), held);
  if (last.length) yield last;
}

function headerFor(fileKey: Buffer, recipients: Buffer[]): string {
  const start = `${firstLine}\n${recipients.map((each) => stanzaFor(fileKey, each)).join('')}---`;
  return `${start} ${unpadded(macOf(fileKey, start))}\n`;
}

function stanzaFor(fileKey: Buffer, recipient: Buffer): string {
  const pair = generateKeyPairSync('x25519');
  const share = Buffer.from(pair.publicKey.export({ format: 'jwk' }).x!, 'base64url');
  const wrapKey = wrappingKey(pair.privateKey, publicKeyOf(recipient), share, recipient);
  const { body, tag } = sealed(wrapKey, Buffer.alloc(12), fileKey);
  return `-> X25519 ${unpadded(share)}\n${unpadded(Buffer.concat([body, tag]))}\n`;
}

const wrappingKey = (own: KeyObject, other: KeyObject, share: Buffer, recipient: Buffer): Buffer =>
  hkdf(
    diffieHellman({ privateKey: own, publicKey: other }),
    Buffer.concat([share, recipient]),
    'age-encryption.org/v1/X25519',
  );

const macOf = (fileKey: Buffer, start: string): Buffer =>
  createHmac('sha256', hkdf(fileKey, Buffer.alloc(0), 'header'))
    .update(start)
    .digest();

const hkdf = (key: Buffer, salt: Buffer, info: string): Buffer => Buffer.from(hkdfSync('sha256', key, salt, info, 32));

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

type Header = { fileKey: Buffer; nonce: Buffer; rest: Buffer };

async function readHeader(chunks: AsyncIterator<Buffer>, identities: AgeIdentity[]): Promise<Header> {
  let bytes: Buffer = Buffer.alloc(0);
  for (;;) {
    const end = endOfHeader(bytes);
    if (end !== undefined && bytes.length >= end + 16) {
      const fileKey = fileKeyIn(bytes.toString('latin1', 0, end), identities);
      return { fileKey, nonce: bytes.subarray(end, end + 16), rest: bytes.subarray(end + 16) };
    }
    if (bytes.length >= firstLine.length && !bytes.toString('latin1').startsWith(firstLine)) throw notAge();
    if (bytes.length > longestHeader) throw notAge();
    const { value, done } = await chunks.next();
    if (done) throw bytes.length < firstLine.length ? notAge() : new ArchiveError('the archive is cut off');
    bytes = Buffer.concat([bytes, value]);
  }
}

const notAge = () => new ArchiveError('this is not an encrypted archive of Mooring (an age file)');

function endOfHeader(bytes: Buffer): number | undefined {
  const mac = bytes.indexOf('\n--- ');
  const end = mac < 0 ? -1 : bytes.indexOf('\n', mac + 1);
  return end < 0 ? undefined : end + 1;
}

function fileKeyIn(header: string, identities: AgeIdentity[]): Buffer {
  // Looks ahead for the end of the line, which begins the next stanza.
  const stanza = /\n-> X25519 (\S{43})\n(\S{43})(?=\n)/g;
  for (const [, share, body] of header.matchAll(stanza)) {
    const [sent, wrapped] = [Buffer.from(share!, 'base64'), Buffer.from(body!, 'base64')];
    const fileKey = identities.map((each) => unwrapped(sent, wrapped, each)).find(Boolean);
    if (!fileKey) continue;
    const start = header.slice(0, header.indexOf('\n--- ') + 4);
    const mac = Buffer.from(header.slice(start.length + 1).trim(), 'base64');
    const expected = macOf(fileKey, start);
    if (mac.length !== expected.length || !timingSafeEqual(mac, expected)) throw damaged();
    return fileKey;
  }
  throw new ArchiveError('this archive was encrypted with another backup key');
}

function unwrapped(share: Buffer, body: Buffer, { privateKey, recipient }: AgeIdentity): Buffer | undefined {
  try {
    return opened(wrappingKey(privateKey, publicKeyOf(share), share, recipient), Buffer.alloc(12), body);
  } catch {
    // Of another recipient.
    return undefined;
  }
}

const damaged = (cause?: unknown) => new ArchiveError('the archive is damaged', cause);

/** Nonce of each chunk: an 11-byte counter and a mark of the last one. */
class Counter {
  #count = 0;

  next(isLast: boolean): Buffer {
    const nonce = Buffer.alloc(12);
    nonce.writeUIntBE(this.#count++, 5, 6);
    nonce[11] = isLast ? 1 : 0;
    return nonce;
  }
}

function sealed(key: Buffer | KeyObject, nonce: Buffer, plain: Buffer): { body: Buffer; tag: Buffer } {
  const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  const body = sealing.update(plain);
  sealing.final();
  return { body, tag: sealing.getAuthTag() };
}

function opened(key: Buffer | KeyObject, nonce: Buffer, chunk: Buffer): Buffer {
  if (chunk.length < tagBytes) throw new ArchiveError('the archive is cut off');
  const opening = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  opening.setAuthTag(chunk.subarray(chunk.length - tagBytes));
  const plain = opening.update(chunk.subarray(0, chunk.length - tagBytes));
  try {
    opening.final();
  } catch (error) {
    throw damaged(error);
  }
  return plain;
}

async function* following(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length) yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** Regroups a stream into pieces of one size, the last one shorter. */
async function* piecesOf(chunks: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length;) {
      const part = chunk.subarray(from, from + size - bytes);
      from += part.length;
      bytes += part.length;
      parts.push(part);
      if (bytes < size) continue;
      yield parts.length === 1 ? parts[0]! : Buffer.concat(parts);
      parts = [];
      bytes = 0;
    }
  }
  if (bytes) yield Buffer.concat(parts);
}
