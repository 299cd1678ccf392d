import { rm } from 'node:fs/promises';
import type { Content } from '../source.ts';
import { top } from './paths.ts';
import type { Filling } from './read.ts';

/** Most that two clocks can differ unless one of them was set. */
const clockMs = 100;

/** Adds a folder of this machine. Returns the paths of some files that changed meanwhile. SQLite databases are copied by
 * themselves, and may change. */
export async function addFolder(
  folder: string,
  content: Content,
  { isQuiet, copySqlite, say }: Filling,
): Promise<string[]> {
  const began = { at: Date.now(), clock: performance.now() };
  const { databases, skipped } = await content.folder(folder);
  for (const { path, why } of skipped) say(`${path} is skipped: ${why}`);
  for (const { path, entry } of databases) {
    const copy = await copySqlite(path);
    await content.file(copy, { ...entry, path });
    await rm(copy, { force: true });
  }
  if (isQuiet) return [];
  // Changes are found by their time.
  const wasSet = Math.abs(Date.now() - began.at - (performance.now() - began.clock)) > clockMs;
  return wasSet ? [top] : content.changedSince(folder, began.at, databases);
}
