import { lstat } from 'node:fs/promises';
import type { HeldFolder } from '../../../lib/held-folder.ts';
import { checkListPrefix, complaintOfPath, keyFolder, inKeyOrder } from '../keys.ts';
import type { StorageCallOptions, StoredObject } from '../storage.ts';
import { folderStorageError } from './errors.ts';

/** Lists the files below a folder by key prefix, in key order; skips symlinks and uploads in progress. Holds one
 * folder at a time in memory. */
export async function* listFolder(
  enter: (folder: string) => Promise<HeldFolder | undefined>,
  prefix: string,
  { signal }: StorageCallOptions,
): AsyncGenerator<StoredObject> {
  checkListPrefix(prefix);
  const start = keyFolder(prefix);
  const held = await enter(start);
  if (!held) return;
  try {
    yield* below(held, start && `${start}/`, prefix, signal);
  } catch (error) {
    throw folderStorageError(error, start || 'the target');
  } finally {
    await held.close();
  }
}

async function* below(
  folder: HeldFolder,
  at: string,
  prefix: string,
  signal: AbortSignal,
): AsyncGenerator<StoredObject> {
  const entries = (await folder.entries())
    .filter((entry) => (entry.isFile() || entry.isDirectory()) && !complaintOfPath(entry.name))
    .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  for (const { name, isFolder } of inKeyOrder(entries)) {
    signal.throwIfAborted();
    const key = at + name;
    if (!key.startsWith(prefix) && !(isFolder && prefix.startsWith(`${key}/`))) continue;
    if (isFolder) {
      const inner = await folder.enter(name);
      if (!inner) continue;
      try {
        yield* below(inner, `${key}/`, prefix, signal);
      } finally {
        await inner.close();
      }
    } else {
      // Removed since it was listed.
      const found = await lstat(folder.at(name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        return undefined;
      });
      if (found?.isFile()) yield { key, bytes: found.size, modifiedAt: found.mtimeMs };
    }
  }
}
