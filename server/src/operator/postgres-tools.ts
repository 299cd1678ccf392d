import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import { StartError } from '../errors.ts';

const run = promisify(execFile);

/** Name of the connections of build workers, which an update of a replica may interrupt. */
export const workerConnections = 'mooring-worker';

const debianFolder = '/usr/lib/postgresql';

/** Returns the path of `pg_dump` or `pg_restore`, at least as new as the server. */
export async function postgresTool(name: 'pg_dump' | 'pg_restore', db: Db): Promise<string> {
  const { rows } = await sql<{ version: string }>`select current_setting('server_version_num') as version`.execute(db);
  const server = Math.floor(Number(rows[0]!.version) / 10_000);
  const install = `install it with: apt-get install postgresql-client-${server}`;
  let newest = 0;
  for (const path of candidates(name)) {
    const major = await majorOf(path);
    if (major >= server) return path;
    newest = Math.max(newest, major);
  }
  if (!newest) throw new StartError(`${name} is missing, and PostgreSQL needs it for backups; ${install}`);
  throw new StartError(`${name} ${newest} is older than the server (PostgreSQL ${server}); ${install}`);
}

function candidates(name: string): string[] {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder).filter((each) => /^\d+$/.test(each)) : [];
  const packaged = versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((each) => join(debianFolder, each, 'bin', name));
  return [name, ...packaged];
}

/** Returns 0 if the program is missing. */
async function majorOf(path: string): Promise<number> {
  try {
    return Number(/\(PostgreSQL\) (\d+)/.exec((await run(path, ['--version'])).stdout)?.[1] ?? 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/** Runs a tool on the database of the URL. The password is not on its command line, where others could see it. */
export async function runPostgresTool(path: string, args: string[], databaseUrl: string): Promise<void> {
  const url = new URL(databaseUrl);
  const password = decodeURIComponent(url.password);
  url.password = '';
  const child = spawn(path, [...args, `--dbname=${url.href}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...tidyEnvironment(), ...(password && { PGPASSWORD: password }) },
  });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [complaint, code] = await Promise.all([text(child.stderr), ended]);
  if (code !== 0) throw new StartError(`${path} failed: ${complaint.trim() || `it exited with ${code ?? 'a signal'}`}`);
}

const tidyEnvironment = () => ({ PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' });
