import { lstat, open, unlink } from 'node:fs/promises';
import type { HeldFolder } from '../../../lib/held-folder.ts';
import { isLeftover, temporaryName } from '../keys.ts';
import type { Sweep } from '../sweeping.ts';

/** Removes leftovers of killed puts in and below a folder; follows no symlinks. */
export async function sweepFolder(start: HeldFolder, home: string, sweep: Sweep): Promise<void> {
  const below = async (folder: HeldFolder, at: string, now: number): Promise<void> => {
    for (const entry of await folder.entries()) {
      if (!sweep.goesOn()) return;
      const { name } = entry;
      const key = at + name;
      if (entry.isDirectory())
        await sweep.attempt(key, () => inside(folder, name, (inner) => below(inner, `${key}/`, now)));
      else if (entry.isFile() && isLeftover(name))
        await sweep.attempt(key, async () => {
          if (!sweep.isOld((await lstat(folder.at(name))).mtimeMs, now)) return;
          await unlink(folder.at(name));
          sweep.removed(key);
        });
    }
  };
  await sweep.attempt('the target', async () => below(start, home, await clockOf(start)));
}

/** Returns the file system's current time: it may be another machine's. */
async function clockOf(folder: HeldFolder): Promise<number> {
  const path = folder.at(temporaryName());
  const file = await open(path, 'wx', 0o600);
  try {
    return (await file.stat()).mtimeMs;
  } finally {
    await file.close();
    await unlink(path);
  }
}

async function inside(folder: HeldFolder, name: string, task: (inner: HeldFolder) => Promise<void>): Promise<void> {
  const inner = await folder.enter(name);
  if (!inner) return;
  try {
    await task(inner);
  } finally {
    await inner.close();
  }
}
