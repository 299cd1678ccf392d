import { constants } from 'node:fs';
import { open, opendir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { badRequest } from '../errors.ts';
import type { SourceTree } from './detect.ts';
import { insidePath } from './sub-tree.ts';

/** Only so much of a file is read. */
export const maxFileBytes = 1024 * 1024;
const maxEntries = 4000;

// Error codes of absent files: missing, of another type, or a link loop.
const absent = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'ENXIO']);

/**
 * Returns the tree of a local folder. Symbolic links must stay inside it, so that a repository cannot expose the
 * machine.
 */
export function folderTree(folder: string): SourceTree {
  const locate = async (path: string): Promise<string | undefined> => {
    const inside = insidePath(path);
    if (inside === undefined) return undefined;
    const root = await realpath(folder);
    const real = await realpath(join(root, inside));
    return real === root || real.startsWith(root === sep ? sep : root + sep) ? real : undefined;
  };
  const kindOfLink = (path: string) =>
    orAbsent(path, undefined, async () => {
      const real = await locate(path);
      return real === undefined ? undefined : await stat(real);
    });
  return {
    list: (path) =>
      orAbsent(path, [], async () => {
        const real = await locate(path);
        if (real === undefined) return [];
        const names: string[] = [];
        for await (const entry of await opendir(real)) {
          const kind = entry.isSymbolicLink() ? await kindOfLink(join(path, entry.name)) : entry;
          if (kind?.isDirectory()) names.push(`${entry.name}/`);
          else if (kind?.isFile()) names.push(entry.name);
          if (names.length >= maxEntries) break;
        }
        return names.sort();
      }),
    read: (path) =>
      orAbsent(path, undefined, async () => {
        const real = await locate(path);
        return real === undefined ? undefined : await readStart(real);
      }),
  };
}

/** Reads the first megabyte. Opened without blocking, since a pipe would otherwise block forever. */
async function readStart(path: string): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = await file.stat().then((found) => (found.isFile() ? found : { size: -1 }));
    if (size < 0) return undefined;
    const buffer = Buffer.alloc(Math.min(size, maxFileBytes));
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, filled);
      if (!bytesRead) break;
      filled += bytesRead;
    }
    return buffer.toString('utf8', 0, filled);
  } finally {
    await file.close();
  }
}

async function orAbsent<T>(path: string, nothing: T, look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code && absent.has(code)) return nothing;
    if (code === 'EACCES' || code === 'EPERM')
      throw badRequest(`${path || 'the folder'} cannot be read by the service`);
    throw error;
  }
}
