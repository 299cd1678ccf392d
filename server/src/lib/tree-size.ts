import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the total size of the files in a folder. */
export async function folderBytes(path: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) bytes += await folderBytes(inner);
    else if (entry.isFile()) bytes += (await lstat(inner)).size;
  }
  return bytes;
}

/** `812 B`, `2.7 kB`, `3.1 MB`, `1.2 GB`: the same as in the command line. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1000).toFixed(1)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
