import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the total size of the files in a folder. */
export async function sizeOf(path: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) bytes += await sizeOf(inner);
    else if (entry.isFile()) bytes += (await lstat(inner)).size;
  }
  return bytes;
}
