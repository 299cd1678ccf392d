import {
  closeSync,
  constants,
  fstatSync,
  open as openWithCallback,
  read as readWithCallback,
  readlinkSync,
} from 'node:fs';
import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';

const open = promisify(openWithCallback);
const read = promisify(readWithCallback);

export interface OpenFile {
  /** Of the kernel. Looking at an open file and closing it are done at once; opening and reading may wait for a disk. */
  descriptor: number;
  name: string;
  size: number;
  /** When the file came to be here. The time in its archive may be the same for every release. */
  since: Date;
}

/** Its content; shorter than its size if somebody has cut it since. */
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

/** The parts of a path that may name a file; null for what may not: up the tree, hidden, malformed. */
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

/** Where the folder really is. Remembered for a moment: it is asked for with each request. */
async function realRoot(path: string, within: string): Promise<string> {
  const known = roots.get(path);
  if (known && known.until > Date.now()) return known.real;
  if (roots.size > 1000) roots.clear();
  const real = await realpath(path);
  const way = relative(await realpath(within), real);
  // A folder on the way may be a link that the release made itself.
  if (way.startsWith('..') || isAbsolute(way)) throw Object.assign(new Error('outside'), { code: 'ENOENT' });
  roots.set(path, { real, until: Date.now() + rootMs });
  return real;
}

/** Where an open file really is. Only Linux tells; elsewhere apps have no users of their own who exchange folders. */
const realPathOf = (descriptor: number, otherwise: string): string =>
  process.platform === 'linux' ? readlinkSync(`/proc/self/fd/${descriptor}`) : otherwise;

/** One release's folder. Nothing outside of it is opened, whatever its links say. */
export class Folder {
  readonly #path: string;
  readonly #within: string;

  constructor(path: string, within: string) {
    this.#path = path;
    this.#within = within;
  }

  /** The file, the word `folder`, or null for everything else. */
  async open(parts: string[]): Promise<OpenFile | 'folder' | null> {
    try {
      const root = await realRoot(this.#path, this.#within);
      const path = await realpath(join(root, ...parts));
      // A link may lead to something hidden too; what is outside begins with `..` here.
      if (relative(root, path).split(sep).some(isHidden)) return null;
      // The real path has no links left to follow; without waiting for a writer, should it be a pipe.
      const descriptor = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      // A folder on the way may have turned into a link since: what counts is what was opened.
      if (realPathOf(descriptor, path) !== path) {
        closeSync(descriptor);
        return null;
      }
      const stat = fstatSync(descriptor);
      if (stat.isFile()) return { descriptor, name: parts.at(-1) ?? '', size: stat.size, since: stat.ctime };
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
