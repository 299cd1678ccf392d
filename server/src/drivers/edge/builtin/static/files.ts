import {
  closeSync,
  constants,
  fstatSync,
  open as openWithCallback,
  read as readWithCallback,
  readlinkSync,
  type Stats,
} from 'node:fs';
import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';

const open = promisify(openWithCallback);
const read = promisify(readWithCallback);

export interface OpenFile {
  /** File descriptor. fstat and close are synchronous; open and read may wait for a disk. */
  descriptor: number;
  name: string;
  size: number;
  /** Where it is, without symlinks, and what it was when it was opened. */
  path: string;
  stat: Stats;
  /** ctime, because the mtime from the archive may be the same in every release. */
  since: Date;
}

/** Reads the content; shorter than `size` if the file was truncated since. */
export async function readWhole({ descriptor, size }: OpenFile): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(size);
  let done = 0;
  while (done < size) {
    const { bytesRead } = await read(descriptor, buffer, done, size - done, done);
    if (!bytesRead) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}

/** Returns the decoded segments of a path; null for one that is hidden, malformed or leads up the tree. */
export function readParts(path: string): string[] | null {
  const parts: string[] = [];
  for (const raw of path.split('/')) {
    if (!raw) continue;
    let part: string;
    try {
      part = decodeURIComponent(raw);
    } catch {
      return null;
    }
    if (/[/\\\0]/.test(part) || isHidden(part)) return null;
    parts.push(part);
  }
  return parts;
}

export const isHidden = (part: string): boolean => part.startsWith('.') && part !== '.well-known';

const absent = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'ENXIO']);

const rootMs = 1000;
const roots = new Map<string, { real: string; until: number }>();

/** Returns the real path of the folder, cached for a moment because every request needs it. */
async function realRoot(path: string, within: string): Promise<string> {
  const known = roots.get(path);
  if (known && known.until > Date.now()) return known.real;
  if (roots.size > 1000) roots.clear();
  const real = await realpath(path);
  const way = relative(await realpath(within), real);
  // A folder on the way may be a symlink that the release created.
  if (way.startsWith('..') || isAbsolute(way)) throw Object.assign(new Error('outside'), { code: 'ENOENT' });
  roots.set(path, { real, until: Date.now() + rootMs });
  return real;
}

/** Returns the real path of an open file. Only Linux reveals it; elsewhere apps have no users of their own who could
 * swap folders. */
const realPathOf = (descriptor: number, otherwise: string): string =>
  process.platform === 'linux' ? readlinkSync(`/proc/self/fd/${descriptor}`) : otherwise;

/** The folder of one release. Opens nothing outside it, wherever symlinks lead. */
export class Folder {
  readonly #path: string;
  readonly #within: string;

  constructor(path: string, within: string) {
    this.#path = path;
    this.#within = within;
  }

  /** Opens a file; returns `folder` for a folder and null for everything else. */
  async open(parts: string[]): Promise<OpenFile | 'folder' | null> {
    try {
      const root = await realRoot(this.#path, this.#within);
      const path = await realpath(join(root, ...parts));
      // A symlink may lead to a hidden file too; a path outside begins with `..` here.
      if (relative(root, path).split(sep).some(isHidden)) return null;
      // The real path has no symlinks left to follow; O_NONBLOCK, so that a pipe does not block.
      const descriptor = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      // A folder on the way may have become a symlink since, so check the file that was actually opened.
      if (realPathOf(descriptor, path) !== path) {
        closeSync(descriptor);
        return null;
      }
      const stat = fstatSync(descriptor);
      if (stat.isFile())
        return { descriptor, name: parts.at(-1) ?? '', size: stat.size, path, stat, since: stat.ctime };
      closeSync(descriptor);
      return stat.isDirectory() ? 'folder' : null;
    } catch (error) {
      if (absent.has((error as NodeJS.ErrnoException).code ?? '')) return null;
      throw error;
    }
  }

  async openFile(parts: string[]): Promise<OpenFile | null> {
    const found = await this.open(parts);
    return found === 'folder' ? null : found;
  }

  async has(parts: string[]): Promise<boolean> {
    const file = await this.openFile(parts);
    if (file) closeSync(file.descriptor);
    return file !== null;
  }
}
