import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { backup, DatabaseSync } from 'node:sqlite';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { StartError } from '../errors.ts';
import { postgresTool, runPostgresTool } from './postgres-tools.ts';
import type { ArchiveSource } from './write-archive.ts';

export const dumpName = 'database.dump';

/** Copies the database of a running service into the folder. */
export async function copyDatabase(
  config: Pick<Config, 'dataDir' | 'databaseUrl'>,
  { db, kind }: Database,
  folder: string,
): Promise<ArchiveSource> {
  const inArchive = kind === 'sqlite' ? 'data/mooring.db' : dumpName;
  const path = join(folder, 'database');
  if (kind === 'sqlite') await copySqlite(join(config.dataDir, 'mooring.db'), path);
  else {
    const tool = await postgresTool('pg_dump', db);
    // Not compressed here, because the archive is.
    const flags = ['--format=custom', '--compress=0', '--no-owner', '--no-privileges'];
    // Tables that an earlier restore moved aside.
    const args = [...flags, '--exclude-schema=replaced_*', `--file=${path}`];
    await runPostgresTool(tool, args, config.databaseUrl!);
  }
  await chmod(path, 0o600);
  return { path, inArchive, isFolder: false };
}

async function copySqlite(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from, { timeout: 5000 });
  try {
    // All pages in one step: a copy in several steps starts over whenever the service writes.
    await backup(source, to, { rate: 0x7fff_ffff });
  } finally {
    source.close();
  }
  checkSqlite(to);
}

/** Throws if the file is damaged. */
export function checkSqlite(file: string): void {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const found = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
    if (found.quick_check !== 'ok') throw new StartError(`the database is damaged: ${found.quick_check}`);
  } finally {
    database.close();
  }
}

/** Size and SHA-256 of a file. */
export async function digestOfFile(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 262_144 }), hash);
  return { bytes: (await stat(path)).size, sha256: hash.digest('hex') };
}
