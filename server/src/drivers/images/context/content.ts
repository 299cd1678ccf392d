import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { HeldFolder } from '../../../lib/held-folder.ts';
import { entryChanged, type ContextEntry, inodeOf } from './entry.ts';

const chunkBytes = 64 * 1024;

/** Reads exactly the listed size, from the same file that was listed. */
export async function* readEntry(root: HeldFolder, entry: ContextEntry): AsyncGenerator<Buffer> {
  const file = await openBelow(root, entry);
  try {
    if (inodeOf(await file.stat({ bigint: true })) !== entry.identity) throw entryChanged(entry);
    for (let missing = entry.size; missing > 0;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(chunkBytes, missing)));
      if (!bytesRead) throw entryChanged(entry);
      missing -= bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function openBelow(root: HeldFolder, entry: ContextEntry): Promise<FileHandle> {
  const names = entry.path.split('/');
  const way = [root];
  try {
    for (const name of names.slice(0, -1)) {
      const inner = await way.at(-1)!.enter(name);
      if (!inner) throw entryChanged(entry);
      way.push(inner);
    }
    // O_NONBLOCK, in case a pipe has taken its place.
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    return await open(way.at(-1)!.at(names.at(-1)!), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw ['ENOENT', 'ELOOP', 'ENXIO'].includes(code) ? entryChanged(entry) : error;
  } finally {
    for (const folder of way.slice(1)) await folder.close();
  }
}
