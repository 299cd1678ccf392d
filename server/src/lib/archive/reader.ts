import { AppError } from '../../errors.ts';

/** Why an archive is rejected, as a message for its sender. */
export class ArchiveError extends AppError {
  constructor(sentence: string, cause?: unknown) {
    super('bad_request', sentence, { cause });
    this.name = 'ArchiveError';
  }
}

export type EntryType = 'file' | 'folder' | 'symlink' | 'hardlink';

/** One entry. Read the body of a file before requesting the next entry; the rest is skipped. */
export interface ArchiveEntry {
  type: EntryType;
  path: string;
  target: string;
  size: number;
  mode: number;
  modifiedMs: number;
  owner: { uid: number; gid: number };
  body(): AsyncGenerator<Buffer>;
}

const block = 512;
/** Limit of long names and extended headers: larger than any real one, small enough to buffer. */
const maxMetadata = 1_048_576;

/** Reads a stream by byte counts, independent of chunks. */
class Bytes {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Returns up to `most` bytes; undefined at the end. */
  async some(most: number): Promise<Buffer | undefined> {
    while (!this.#held.length) {
      const { value, done } = await this.#chunks.next();
      if (done) return undefined;
      this.#held = value;
    }
    const part = this.#held.subarray(0, most);
    this.#held = this.#held.subarray(part.length);
    return part;
  }

  /** Returns exactly `count` bytes; undefined at the end, an error in the middle. */
  async exactly(count: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    for (let missing = count; missing > 0; missing -= parts.at(-1)!.length) {
      const part = await this.some(missing);
      if (part) parts.push(part);
      else if (parts.length) throw new ArchiveError('the archive ends in the middle of an entry');
      else return undefined;
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  async *next(count: number): AsyncGenerator<Buffer> {
    for (let missing = count; missing > 0;) {
      const part = await this.some(missing);
      if (!part) throw new ArchiveError('the archive ends in the middle of a file');
      missing -= part.length;
      yield part;
    }
  }
}

/** Reads a tar (v7, ustar, pax, GNU long names) as a stream. Checks the format only; callers decide what is
 * dangerous. Devices and pipes are skipped or rejected. */
export async function* readTar(
  chunks: AsyncIterable<Buffer>,
  { withoutDevices = false, onDevice }: { withoutDevices?: boolean; onDevice?: (path: string) => void } = {},
): AsyncGenerator<ArchiveEntry> {
  const bytes = new Bytes(chunks);
  let extended: Map<string, string> = new Map();
  for (;;) {
    const header = await bytes.exactly(block);
    if (!header || isZero(header)) break;
    checkSum(header);
    const kind = String.fromCharCode(header[156]!);
    const size = sizeOf(header, extended);
    if (kind === 'x' || kind === 'g' || kind === 'L' || kind === 'K') {
      const content = await metadata(bytes, size);
      // Global headers carry comments, as git's do, and nothing that we use.
      if (kind === 'x') extended = new Map([...extended, ...paxRecords(content)]);
      else if (kind !== 'g') extended.set(kind === 'L' ? 'path' : 'linkpath', text(untilNul(content)));
      continue;
    }
    if (withoutDevices && devices.includes(kind)) {
      onDevice?.(extended.get('path') ?? nameIn(header));
      extended = new Map();
      continue;
    }
    // A name in an extended header is cut in the header itself, maybe in the middle of a character.
    const path = extended.get('path') ?? nameIn(header);
    const type = typeOf(kind, path);
    const body = bytes.next(type === 'file' ? size : 0);
    const target = extended.get('linkpath') ?? text(untilNul(header.subarray(157, 257)));
    const facts = {
      mode: octal(header, 100, 108),
      modifiedMs: octal(header, 136, 148) * 1000,
      owner: { uid: idOf(header, 108, extended.get('uid')), gid: idOf(header, 116, extended.get('gid')) },
    };
    yield { type, path, target, size: type === 'file' ? size : 0, ...facts, body: () => body };
    for await (const _rest of body);
    if (type === 'file') await padding(bytes, size);
    extended = new Map();
  }
  // Read to the end, so that the checksum of the compression is verified too.
  while (await bytes.some(block * 128));
}

async function metadata(bytes: Bytes, size: number): Promise<Buffer> {
  if (size > maxMetadata) throw new ArchiveError('the archive has an extended header of unreasonable size');
  const content = size ? await bytes.exactly(size) : Buffer.alloc(0);
  if (!content) throw new ArchiveError('the archive ends in the middle of an entry');
  await padding(bytes, size);
  return content;
}

async function padding(bytes: Bytes, size: number): Promise<void> {
  const count = (block - (size % block)) % block;
  if (count && !(await bytes.exactly(count))) throw new ArchiveError('the archive ends in the middle of an entry');
}

/** Including pipes. */
const devices = ['3', '4', '6'];

function typeOf(kind: string, path: string): EntryType {
  if (kind === '1') return 'hardlink';
  if (kind === '2') return 'symlink';
  if (kind === '5') return 'folder';
  // Before ustar a folder was a file whose name ends in a slash.
  if (kind === '0' || kind === '\0' || kind === '7') return path.endsWith('/') ? 'folder' : 'file';
  if (devices.includes(kind)) throw new ArchiveError(`the archive holds a device or a pipe: ${quotedName(path)}`);
  throw new ArchiveError(`the archive holds an entry of an unknown kind: ${quotedName(path)}`);
}

/** POSIX archives split long names in two; GNU uses that field for other things. */
function nameIn(header: Buffer): string {
  const name = text(untilNul(header.subarray(0, 100)));
  const prefix = header.toString('latin1', 257, 263) === 'ustar\0' ? text(untilNul(header.subarray(345, 500))) : '';
  return prefix ? `${prefix}/${name}` : name;
}

function sizeOf(header: Buffer, extended: Map<string, string>): number {
  const given = extended.get('size');
  if (given === undefined) return header[124]! & 0x80 ? binary(header.subarray(124, 136)) : octal(header, 124, 136);
  if (!/^\d{1,15}$/.test(given)) throw new ArchiveError('the archive has an invalid size');
  return Number(given);
}

/** Never rejected: only archives of our own need owners. */
function idOf(header: Buffer, at: number, given: string | undefined): number {
  if (given !== undefined) return Number(given) || 0;
  if (header[at]! & 0x80) return header.readUInt32BE(at + 4);
  return Number.parseInt(header.toString('latin1', at, at + 8), 8) || 0;
}

function octal(header: Buffer, from: number, to: number): number {
  const digits = header.toString('latin1', from, to).replaceAll(/[\0 ]/g, '');
  if (!/^[0-7]*$/.test(digits)) throw new ArchiveError('the archive has an invalid header');
  return digits ? Number.parseInt(digits, 8) : 0;
}

/** GNU's encoding of sizes that do not fit in octal digits. */
function binary(field: Buffer): number {
  const value = field.reduce((sum, byte, i) => sum * 256n + BigInt(i ? byte : byte & 0x7f), 0n);
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new ArchiveError('the archive has an invalid size');
  return Number(value);
}

function paxRecords(content: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at);
    const length = space < 0 ? Number.NaN : Number(content.toString('latin1', at, space));
    const equals = content.indexOf(0x3d, space);
    const end = at + length;
    if (!(length > 0) || end > content.length || equals < 0 || equals >= end || content[end - 1] !== 0x0a)
      throw new ArchiveError('the archive has an invalid extended header');
    const key = content.toString('latin1', space + 1, equals);
    if (key.startsWith('GNU.sparse'))
      throw new ArchiveError('the archive holds a sparse file; pack it without --sparse');
    if (['path', 'linkpath', 'size', 'uid', 'gid'].includes(key))
      records.set(key, text(content.subarray(equals + 1, end - 1)));
    at = end;
  }
  return records;
}

function checkSum(header: Buffer): void {
  let sum = 8 * 0x20;
  for (let i = 0; i < block; i++) if (i < 148 || i >= 156) sum += header[i]!;
  if (sum !== octal(header, 148, 156)) throw new ArchiveError('this is not a tar archive, or it is damaged');
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function text(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new ArchiveError('the archive has a name that is not UTF-8', error);
  }
}

const zero = Buffer.alloc(block);
const isZero = (bytes: Buffer) => bytes.equals(zero);

function untilNul(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}

/** Quotes and shortens a name for a message. */
export const quotedName = (name: string): string => JSON.stringify(name.length > 120 ? `${name.slice(0, 120)}…` : name);
