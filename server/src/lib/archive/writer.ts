/** An entry to write, without its content. */
export interface EntryFacts {
  path: string;
  /** A hard link names an earlier file of the same archive. */
  type: 'file' | 'folder' | 'link' | 'hardlink';
  /** Permissions, including setuid, setgid and sticky. */
  mode: number;
  size: number;
  modifiedMs: number;
  /** Target of a link. */
  target: string;
  /** Owner; root by default. */
  owner?: { uid: number; gid: number };
}

/** Its content is read when it is written, and must have the declared size. */
export interface WrittenEntry extends EntryFacts {
  content(): AsyncIterable<Buffer>;
}

const block = 512;
const typeFlags = { file: '0', folder: '5', link: '2', hardlink: '1' };
/** Maximum of eleven octal digits. */
const mostOctal = 8 ** 11 - 1;
const mostId = 8 ** 7 - 1;

/** Yields a tar of the entries. */
export async function* writeTar(entries: AsyncIterable<WrittenEntry>): AsyncGenerator<Buffer> {
  yield* tarOf(entries);
  yield tarEnd;
}

/** Follows the last entry. */
export const tarEnd = Buffer.alloc(2 * block);

/** Yields a tar of the entries, without its end. */
export async function* tarOf(entries: AsyncIterable<WrittenEntry>): AsyncGenerator<Buffer> {
  for await (const entry of entries) {
    yield headersOf(entry);
    if (entry.type !== 'file') continue;
    let written = 0;
    for await (const chunk of entry.content()) {
      written += chunk.length;
      yield chunk;
    }
    if (written !== entry.size) throw new Error(`${entry.path} differs in length from its declared size`);
    yield Buffer.alloc(paddingOf(written));
  }
}

export const paddingOf = (size: number): number => (block - (size % block)) % block;

/** Values that do not fit the header go into an extended header before it. */
export function headersOf(entry: EntryFacts): Buffer {
  const { uid = 0, gid = 0 } = entry.owner ?? {};
  const path = entry.type === 'folder' ? `${entry.path}/` : entry.path;
  const records = [
    ...(Buffer.byteLength(path) > 100 ? [['path', path]] : []),
    ...(Buffer.byteLength(entry.target) > 100 ? [['linkpath', entry.target]] : []),
    ...(entry.size > mostOctal ? [['size', String(entry.size)]] : []),
    ...(uid > mostId ? [['uid', String(uid)]] : []),
    ...(gid > mostId ? [['gid', String(gid)]] : []),
  ].map(([key, value]) => record(key!, value!));
  const header = headerOf({ ...entry, path }, typeFlags[entry.type]);
  if (!records.length) return header;
  const content = Buffer.from(records.join(''));
  const extended = { path: 'PaxHeader', mode: 0o644, size: content.length, modifiedMs: 0, target: '' };
  return Buffer.concat([headerOf(extended, 'x'), content, Buffer.alloc(paddingOf(content.length)), header]);
}

/** `30 path=...`: the length includes itself. */
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest);
  while (Buffer.byteLength(`${length}${rest}`) !== length) length = Buffer.byteLength(`${length}${rest}`);
  return `${length}${rest}`;
}

type HeaderFields = Pick<EntryFacts, 'path' | 'mode' | 'size' | 'modifiedMs' | 'target' | 'owner'>;

function headerOf({ path, mode, size, modifiedMs, target, owner }: HeaderFields, typeFlag: string): Buffer {
  const header = Buffer.alloc(block);
  const octal = (value: number, at: number, digits: number) =>
    header.write(`${value.toString(8).padStart(digits, '0')}\0`, at, 'latin1');
  header.set(Buffer.from(path).subarray(0, 100), 0);
  octal(mode & 0o7777, 100, 7);
  octal(Math.min(owner?.uid ?? 0, mostId), 108, 7);
  octal(Math.min(owner?.gid ?? 0, mostId), 116, 7);
  octal(size > mostOctal ? 0 : size, 124, 11);
  octal(Math.min(Math.max(0, Math.floor(modifiedMs / 1000)), mostOctal), 136, 11);
  header.write(typeFlag, 156, 'latin1');
  header.set(Buffer.from(target).subarray(0, 100), 157);
  header.write('ustar\x0000', 257, 'latin1');
  header.fill(' ', 148, 156);
  let sum = 0;
  for (let at = 0; at < block; at++) sum += header[at]!;
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}
