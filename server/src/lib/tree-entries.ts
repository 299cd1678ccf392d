import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { WrittenEntry } from './archive/writer.ts';

/** Yields a file, or a folder with its contents, under another name. Symlinks stay symlinks. */
export async function* treeEntries(from: string, path: string): AsyncGenerator<WrittenEntry> {
  const stats = await lstat(from);
  const { mode, size, mtimeMs, uid, gid } = stats;
  const isFolder = stats.isDirectory();
  const isLink = stats.isSymbolicLink();
  yield {
    path,
    type: isFolder ? 'folder' : isLink ? 'link' : 'file',
    mode,
    owner: { uid, gid },
    size: isFolder || isLink ? 0 : size,
    modifiedMs: mtimeMs,
    target: isLink ? await readlink(from) : '',
    content: () => createReadStream(from),
  };
  if (!isFolder) return;
  for (const name of (await readdir(from)).toSorted()) yield* treeEntries(join(from, name), `${path}/${name}`);
}
