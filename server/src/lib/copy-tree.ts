import { constants, type Dirent } from 'node:fs';
import { copyFile, mkdir, open, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { badRequest } from '../errors.ts';
import { HeldFolder } from './held-folder.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
const maxDepth = 128;

/** Copies the contents of a folder into an empty one. Keeps symlinks as symlinks, skips pipes and devices. Safe
 * against a hostile owner of the source: reads nothing outside `from`, however quickly a folder becomes a symlink.
 * `from` must be resolved. */
export async function copyTree(from: string, to: string, isLeftOut: (name: string) => boolean): Promise<void> {
  const source = await HeldFolder.open(from);
  try {
    // A folder on the path may have been swapped since it was resolved.
    if ((await source.path()) !== from) throw badRequest('the folder was moved while it was copied');
    await copyInto(source, to, isLeftOut, 0);
  } finally {
    await source.close();
  }
}

async function copyInto(
  source: HeldFolder,
  to: string,
  isLeftOut: (name: string) => boolean,
  depth: number,
): Promise<void> {
  if (depth > maxDepth) throw badRequest(`the folder is more than ${maxDepth} folders deep`);
  for (const entry of await source.entries()) {
    if (isLeftOut(entry.name)) continue;
    const target = join(to, entry.name);
    if (!entry.isDirectory()) {
      await copyOne(source, entry, target);
      continue;
    }
    const inner = await source.enter(entry.name);
    if (!inner) continue;
    try {
      await mkdir(target);
      await copyInto(inner, target, isLeftOut, depth + 1);
    } finally {
      await inner.close();
    }
  }
}

async function copyOne(source: HeldFolder, entry: Dirent, target: string): Promise<void> {
  try {
    if (entry.isSymbolicLink()) await symlink(await readlink(source.at(entry.name)), target);
    else if (entry.isFile()) await copyContent(source.at(entry.name), target);
  } catch (error) {
    // It disappeared or changed its type meanwhile; skip it.
    if (!changed.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

const changed = new Set(['ENOENT', 'ELOOP', 'EINVAL', 'ENXIO']);

async function copyContent(path: string, target: string): Promise<void> {
  // O_NONBLOCK, in case a pipe has taken its place.
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    // Copies from the open descriptor, which cannot be swapped.
    if ((await file.stat()).isFile()) await copyFile(`/proc/self/fd/${file.fd}`, target, constants.COPYFILE_EXCL);
  } finally {
    await file.close();
  }
}
