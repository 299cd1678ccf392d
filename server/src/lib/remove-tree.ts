import type { Dirent } from 'node:fs';
import { chmod, rename, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { HeldFolder } from './held-folder.ts';

/** Rounds without progress: another process fills the folder faster than we empty it. */
const mostVainRounds = 100;
const atOnce = 16;

/** Removes a folder with its contents, or a file; ignores a missing one. Safe against a hostile owner of the
 * contents: never follows a symlink, however quickly one appears. Folders are moved up before they are emptied, so
 * that depth does not matter. The parent folder must be ours. */
export async function removeTree(path: string): Promise<void> {
  const above = await openIfThere(dirname(path));
  if (!above) return;
  try {
    const name = basename(path);
    for (let vain = 0; vain < mostVainRounds; vain++) {
      const top = await opened(above, name);
      if (top) await emptied(top);
      if (await gone(top ? rmdir(above.at(name)) : unlink(above.at(name)))) return;
    }
    throw stubborn(path);
  } finally {
    await above.close();
  }
}

async function emptied(top: HeldFolder): Promise<void> {
  try {
    for (let vain = 0; vain < mostVainRounds; vain++) {
      const entries = await top.entries();
      if (!entries.length) return;
      let found = 0;
      for (let from = 0; from < entries.length; from += atOnce) {
        const some = entries.slice(from, from + atOnce).map((entry) => lifted(top, entry));
        found += (await Promise.all(some)).reduce((sum, each) => sum + each, 0);
      }
      // A deep tree comes up one level at a time, which is progress.
      if (found) vain = 0;
    }
    throw stubborn(await top.path());
  } finally {
    await top.close();
  }
}

/** Removes one entry of `top`; the contents of a folder are removed too, or moved up for the next round. Returns the
 * number of entries found. */
async function lifted(top: HeldFolder, entry: Dirent): Promise<number> {
  if (!entry.isDirectory()) return (await gone(unlink(top.at(entry.name)))) ? 1 : 0;
  const folder = await opened(top, entry.name);
  if (!folder) return 0;
  let found = 0;
  try {
    for (const inner of await folder.entries()) {
      const place = folder.at(inner.name);
      const done = inner.isDirectory() ? rename(place, top.at(`removed-${process.hrtime.bigint()}`)) : unlink(place);
      if (await gone(done)) found++;
    }
  } finally {
    await folder.close();
  }
  return (await gone(rmdir(top.at(entry.name)))) ? found + 1 : found;
}

/** Opens the folder, and makes it writable first unless we are root, which needs no chmod and must not follow a
 * symlink. */
async function opened(above: HeldFolder, name: string): Promise<HeldFolder | undefined> {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) await gone(chmod(above.at(name), 0o700));
  return above.enter(name);
}

/** Returns false when the entry changed meanwhile; the next round handles it. */
async function gone(attempt: Promise<void>): Promise<boolean> {
  try {
    await attempt;
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return true;
    if (['ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'EEXIST', 'ELOOP', 'EPERM'].includes(code)) return false;
    throw error;
  }
}

async function openIfThere(path: string): Promise<HeldFolder | undefined> {
  try {
    return await HeldFolder.open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const stubborn = (path: string) => new Error(`${path} cannot be removed: another program keeps writing into it`);
