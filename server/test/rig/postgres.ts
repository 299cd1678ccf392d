import { type ChildProcess, execFile } from 'node:child_process';
import { chownSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { exited, newMemoryFolder, rigFolder, spawnRecorded } from './children.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

const run = promisify(execFile);

export interface Postgres {
  url: string;
  pid(): number;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=200',
];

/** Starts PostgreSQL for this run on a free port, without durability. In memory, the 300 files of a database take a
 * quarter of the CPU time. */
export async function startPostgres(more: string[] = []): Promise<Postgres> {
  const programs = `/usr/lib/postgresql/${newestVersion()}/bin`;
  const folder = newMemoryFolder('postgres');
  const options = { ...unprivileged(folder), cwd: rigFolder(), env: { LC_ALL: 'C', PATH: process.env['PATH'] ?? '' } };
  await run(
    join(programs, 'initdb'),
    ['-D', folder, '-U', 'mooring', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    options,
  );
  const port = await freePort();
  const args = ['-D', folder, '-p', String(port), ...[...settings, ...more].flatMap((each) => ['-c', each])];
  let child: ChildProcess;
  const postgres = {
    url: `postgres://mooring@127.0.0.1:${port}/`,
    pid: () => child.pid!,
    async start() {
      child = spawnRecorded(join(programs, 'postgres'), args, { ...options, stdio: 'ignore' });
      await until('PostgreSQL answers', () => query(`${postgres.url}postgres`, 'select 1'));
    },
    async stop() {
      child.kill('SIGINT');
      await exited(child);
    },
  };
  await postgres.start();
  return postgres;
}

let databases = 0;
const created: string[] = [];
// Older versions know only this one.
const strategy = () => (Number(newestVersion()) >= 15 ? 'strategy file_copy' : '');

/** Creates a database on the server at `url`: empty, or a copy of another one. */
export async function newDatabase(
  url: string,
  { name = `test_${process.pid}_${++databases}`, template = 'template1' } = {},
): Promise<string> {
  await query(`${url}postgres`, `create database ${name} template ${template} ${strategy()}`);
  created.push(name);
  return `${url}${name}`;
}

/** Drops the databases of a test file. */
export async function dropDatabases(url: string): Promise<void> {
  for (const name of created.splice(0)) await query(`${url}postgres`, `drop database if exists ${name} with (force)`);
}

export async function query(connectionString: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(text)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

const newestVersion = () => readdirSync('/usr/lib/postgresql').toSorted((a, b) => Number(b) - Number(a))[0]!;

/** PostgreSQL refuses to run as root: it runs as its package's user, which owns the folder. */
function unprivileged(folder: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith('postgres:'))!;
  const [, , uid, gid] = line.split(':').map(Number);
  chownSync(folder, uid!, gid!);
  return { uid: uid!, gid: gid! };
}
