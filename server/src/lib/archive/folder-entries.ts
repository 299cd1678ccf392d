import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink } from 'node:fs/promises';
import { HeldFolder } from '../held-folder.ts';
import type { WrittenEntry } from './writer.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
const blockBytes = 262_144;

type Options = {
  /** Paths inside the folder that are left out, with all that is below them. */
  isLeftOut?: (path: string) => boolean;
  /** Called for files that cannot be archived. */
  onSkipped?: (path: string, why: string) => void;
};

/** Yields the folder and everything in it, parents first, with numeric owners; nothing if there is no such folder.
 * Files may change meanwhile: one that grows is cut at the size it had, one that shrinks is filled with zeros, one that
 * disappears is left out. Reads nothing outside the folder, however quickly its owner swaps one for a symlink. Skips
 * pipes, sockets and devices. */
export async function* folderEntries(
  folder: string,
  prefix: string,
  { isLeftOut = () => false, onSkipped = () => {} }: Options = {},
): AsyncGenerator<WrittenEntry> {
  const top = await HeldFolder.open(folder).catch(ifChanged);
  if (!top) return;
  yield* within(top, '', await lstat(folder));

  async function* within(held: HeldFolder, path: string, stat: Stats): AsyncGenerator<WrittenEntry> {
    try {
      yield entryOf(`${prefix}${path && `/${path}`}`, 'folder', stat);
      for (const { name } of await held.entries()) {
        const inner = path ? `${path}/${name}` : name;
        if (isLeftOut(inner)) continue;
        // Decoded from a name that is not UTF-8, so it cannot be opened by that name.
        if (name.includes('\uFFFD')) onSkipped(`${folder}/${inner}`, 'its name is not UTF-8');
        else yield* one(held, name, inner);
      }
    } finally {
      await held.close();
    }
  }

  async function* one(held: HeldFolder, name: string, path: string): AsyncGenerator<WrittenEntry> {
    const stat = await lstat(held.at(name)).catch(ifChanged);
    if (stat?.isDirectory()) {
      const inner = await held.enter(name);
      if (inner) yield* within(inner, path, stat);
    } else if (stat?.isSymbolicLink()) {
      const target = await readlink(held.at(name)).catch(ifChanged);
      if (target !== undefined) yield { ...entryOf(`${prefix}/${path}`, 'link', stat), target };
    } else if (stat?.isFile()) {
      // O_NONBLOCK, in case a pipe has taken its place.
      const file = await open(held.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(ifChanged);
      if (file) yield* content(file, `${prefix}/${path}`);
    }
  }
}

async function* content(file: FileHandle, path: string): AsyncGenerator<WrittenEntry> {
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return;
    yield { ...entryOf(path, 'file', stat), size: stat.size, content: () => bytesOf(file, stat.size) };
  } finally {
    await file.close();
  }
}

const entryOf = (path: string, type: WrittenEntry['type'], stat: Stats): WrittenEntry => ({
  path,
  type,
  mode: stat.mode & 0o7777,
  size: 0,
  modifiedMs: stat.mtimeMs,
  target: '',
  owner: { uid: stat.uid, gid: stat.gid },
  content: async function* () {},
});

/** Yields exactly `size` bytes. */
async function* bytesOf(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let missing = size; missing > 0;) {
    const block = Buffer.allocUnsafe(Math.min(missing, blockBytes));
    const { bytesRead } = await file.read(block, 0, block.length, null);
    // Without more bytes in the file, zeros follow.
    const part = bytesRead ? block.subarray(0, bytesRead) : block.fill(0);
    missing -= part.length;
    yield part;
  }
}

/** It disappeared or changed its type meanwhile. */
function ifChanged(error: NodeJS.ErrnoException): undefined {
  if (!['ENOENT', 'ELOOP', 'ENOTDIR', 'EINVAL', 'ENXIO', 'ENODEV'].includes(error.code ?? '')) throw error;
}
