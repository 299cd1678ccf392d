import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArchiveEntry } from '../../../lib/archive/reader.ts';
import { BackupError } from './source.ts';

// A tar entry starts with its size, so a dump is written to a file first.

/** Writes what `fill` produces to a file of the folder. An empty file is an error. */
export async function spoolFile(
  folder: string,
  name: string,
  fill: (write: (chunk: Buffer) => Promise<void>) => Promise<void>,
): Promise<string> {
  const path = join(folder, name);
  const file = await open(path, 'w', 0o600);
  try {
    await fill((chunk) => file.writeFile(chunk));
  } finally {
    await file.close();
  }
  if (!(await lstat(path)).size)
    throw new BackupError('empty_dump', 'The dump is empty', 'See the log of the database.');
  return path;
}

/** Copies the only file of an archive to the folder. */
export async function spoolEntry(entries: AsyncIterable<ArchiveEntry>, folder: string): Promise<string> {
  let path: string | undefined;
  for await (const entry of entries) {
    if (entry.type !== 'file' || path !== undefined)
      throw new BackupError('wrong_archive', 'This is not the archive of a database', 'Choose another archive.');
    path = await spoolFile(folder, 'restore.dump', async (write) => {
      for await (const chunk of entry.body()) await write(chunk);
    });
  }
  if (path === undefined) throw new BackupError('wrong_archive', 'The archive is empty', 'Choose another archive.');
  return path;
}
