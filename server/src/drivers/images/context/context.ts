import { type BigIntStats, constants } from 'node:fs';
import { lstat, open, readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { BuildRefusedError } from '../errors.ts';
import { type IgnoreRules, readIgnoreRules } from './ignore-rules.ts';

/** A file, folder or link of a build context. Links are kept as they are, wherever they lead: nobody follows them here. */
export interface ContextEntry {
  /** Relative to the context, with slashes. */
  path: string;
  type: 'file' | 'folder' | 'link';
  /** Permissions, with the bits for set-user-id, set-group-id and sticky. */
  mode: number;
  size: number;
  /** In nanoseconds. What was sent once is taken for the same if its name, size and this are: so it is the time of the last
   * change of any kind, which nobody can set, and not the one that copying programs set back. */
  modifiedNs: bigint;
  target: string;
  /** What the file system knows it by. */
  identity: string;
}

/** What a build may copy from: a folder without what its `.dockerignore` leaves out. */
export interface Context {
  /** Each folder before what is in it, names in the order of their bytes. */
  entries(): AsyncGenerator<ContextEntry>;
  content(entry: ContextEntry): AsyncGenerator<Buffer>;
}

const ignoreFile = '.dockerignore';
const largestIgnoreFile = 1_048_576;
const chunkBytes = 64 * 1024;

/** `dockerfile` may bring rules of its own, in a file beside it. */
export async function openContext(folder: string, dockerfile?: string): Promise<Context> {
  const own = dockerfile && (await readInside(folder, `${dockerfile}${ignoreFile}`, largestIgnoreFile));
  const rules = readIgnoreRules(own ?? (await readInside(folder, ignoreFile, largestIgnoreFile)) ?? '');
  return {
    entries: () => walk(folder, '', rules),
    content: (entry) => contentOf(folder, entry),
  };
}

/** The text of a file of the context; undefined if there is none, and also if a link leads out of the folder. */
export async function readInside(folder: string, path: string, mostBytes: number): Promise<string | undefined> {
  const real = await realpath(join(folder, path)).catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EINVAL', 'ERR_INVALID_ARG_VALUE'].includes(error.code!)) return;
    throw error;
  });
  if (!real || /^\.\.(\/|$)/.test(relative(await realpath(folder), real))) return undefined;
  const { size, isFile } = await statsOf(real);
  if (!isFile) return undefined;
  if (size > mostBytes) throw new BuildRefusedError(`${path} is larger than ${mostBytes} bytes`);
  return readFile(real, 'utf8');
}

async function statsOf(path: string): Promise<{ size: number; isFile: boolean }> {
  const stats = await lstat(path);
  return { size: stats.size, isFile: stats.isFile() };
}

async function* walk(root: string, inside: string, rules: IgnoreRules): AsyncGenerator<ContextEntry> {
  const names = await readdir(join(root, inside), { encoding: 'buffer' });
  for (const name of names.toSorted((a, b) => Buffer.compare(a, b))) {
    const path = inside ? `${inside}/${textOf(name)}` : textOf(name);
    const entry = await entryOf(root, path);
    if (!entry) continue;
    const ignored = rules.ignores(path);
    if (!ignored) yield entry;
    if (entry.type !== 'folder' || (ignored && !rules.mayWantInside(path))) continue;
    // A folder that only leads to something wanted comes with the first such thing.
    let isPending = ignored;
    for await (const inner of walk(root, path, rules)) {
      if (isPending) yield entry;
      isPending = false;
      yield inner;
    }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(name: Buffer): string {
  try {
    return utf8.decode(name);
  } catch {
    throw new BuildRefusedError(`a file has a name that is not UTF-8: ${JSON.stringify(name.toString('utf8'))}`);
  }
}

/** Undefined for sockets, pipes and devices: a build has no use for them. */
async function entryOf(root: string, path: string): Promise<ContextEntry | undefined> {
  const stats = await lstat(join(root, path), { bigint: true });
  const type = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : undefined;
  return (
    type && {
      path,
      type,
      mode: Number(stats.mode) & 0o7777,
      size: type === 'file' ? Number(stats.size) : 0,
      modifiedNs: stats.ctimeNs > stats.mtimeNs ? stats.ctimeNs : stats.mtimeNs,
      target: type === 'link' ? await readlink(join(root, path)) : '',
      identity: identityOf(stats),
    }
  );
}

const identityOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

async function* contentOf(root: string, entry: ContextEntry): AsyncGenerator<Buffer> {
  const changed = () => new BuildRefusedError(`${entry.path} changed while it was sent to the engine`);
  const file = await open(join(root, entry.path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (identityOf(await file.stat({ bigint: true })) !== entry.identity) throw changed();
    for (let missing = entry.size; missing > 0;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(chunkBytes, missing)));
      if (!bytesRead) throw changed();
      missing -= bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
