import { execFile } from 'node:child_process';
import { lstat, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { BackupError, type ArchiveContent } from '../source.ts';
import { volumeRootName } from './paths.ts';
import type { VolumePacking } from './read.ts';

/** Most that two clocks can differ unless one of them was set. */
const clockMs = 100;

/** Adds a folder of this machine. Returns the paths of some files that changed meanwhile. SQLite databases are copied by
 * themselves, and may change. */
export async function addFolder(
  folder: string,
  content: ArchiveContent,
  { isQuiet, copySqlite, say }: VolumePacking,
): Promise<string[]> {
  const began = { at: Date.now(), clock: performance.now(), inode: await inodeOf(folder) };
  // A store to a mapped page changes the time of the file only if the page is clean.
  if (!isQuiet) await promisify(execFile)('sync', ['-f', folder]);
  const { databases, skipped } = await content.folder(folder);
  for (const { path, why } of skipped) say(`${path} is skipped: ${why}`);
  for (const { path, entry } of databases) {
    const copy = await copySqlite(path);
    if (copy === undefined) continue;
    await content.file(copy, { ...entry, path });
    await rm(copy, { force: true });
  }
  // A restore replaces the whole folder, also while services are paused.
  if ((await inodeOf(folder)) !== began.inode) return [volumeRootName];
  if (isQuiet) return [];
  // Changes are found by their time.
  const wasSet = Math.abs(Date.now() - began.at - (performance.now() - began.clock)) > clockMs;
  return wasSet ? [volumeRootName] : content.changedSince(folder, began.at, databases);
}

/** Throws if there is no such folder: an empty archive would look like a good one. */
async function inodeOf(folder: string): Promise<string> {
  const found = await lstat(folder, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (found?.isDirectory()) return `${found.dev}:${found.ino}`;
  throw new BackupError('volume_missing', 'The folder of the volume is missing', 'Deploy again.');
}
