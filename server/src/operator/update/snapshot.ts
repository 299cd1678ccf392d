import { execFile } from 'node:child_process';
import { chownSync, existsSync, lstatSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { environmentFile } from '../environment-file.ts';
import { workerConnections } from '../postgres-tools.ts';
import { systemPath } from './system-path.ts';
import { UpdateError } from './update-error.ts';

const run = promisify(execFile);

/** A copy of the database, taken while the service is stopped, to go back to. */
export interface Snapshots {
  /** What happens, for the progress. */
  message: string;
  /** Bytes that the snapshot needs. */
  size(): number;
  /** Fails while the service still runs if no snapshot can be taken. */
  check(): Promise<void>;
  /** Whether other replicas use the database, so that restoring a copy would undo what they write. Waits for
   * connections that end. */
  isShared(withinMs: number): Promise<boolean>;
  take(folder: string): Promise<void>;
  restore(folder: string): Promise<void>;
}

type Owner = { uid: number; gid: number };

/** Runs a program as the owner of the data folder: root must not follow links that the service's user puts there. */
async function runAs(owner: Owner, file: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  const identity = process.getuid!() === 0 ? owner : {};
  const options = { ...identity, cwd: '/', env: { PATH: systemPath, LC_ALL: 'C', ...env }, maxBuffer: 4_000_000 };
  const { stdout } = await run(file, args, options).catch((error: Error & { code?: string; stderr?: string }) => {
    if (error.code === 'ENOENT') throw new UpdateError(`${file} is not installed`, { cause: error });
    throw new UpdateError(`${file} failed: ${error.stderr?.trim() || error.message}`, { cause: error });
  });
  return stdout;
}

export function snapshotsOf({
  dataDir,
  databaseUrl,
}: {
  dataDir: string;
  databaseUrl?: string | undefined;
}): Snapshots {
  const { uid, gid } = lstatSync(dataDir);
  return databaseUrl ? postgresSnapshots({ uid, gid }, databaseUrl) : sqliteSnapshots({ uid, gid }, dataDir);
}

/** Creates the folder of a snapshot, which belongs to the service's user; its parent belongs to root. */
function emptyFolder({ uid, gid }: Owner, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (process.getuid!() === 0) chownSync(folder, uid, gid);
}

/** Copies a SQLite database with its write-ahead log. A backup that the service left running may use it meanwhile. */
const copyProgram = `
process.umask(0o077);
process.on('uncaughtException', ({ message }) => { process.stderr.write(message); process.exit(1); });
const { backup, DatabaseSync } = await import('node:sqlite');
const [from, to] = process.argv.slice(1);
const source = new DatabaseSync(from, { timeout: 10_000 });
await backup(source, to, { rate: 0x7fff_ffff });
source.close();
const copy = new DatabaseSync(to);
const { quick_check: found } = copy.prepare('PRAGMA quick_check(1)').get();
copy.close();
if (found !== 'ok') throw new Error('it is damaged: ' + found);
`;

/** The database, and what the new version leaves beside it. */
function sqliteSnapshots(owner: Owner, dataDir: string): Snapshots {
  const [database, log, index] = ['', '-wal', '-shm'].map((suffix) => join(dataDir, `mooring.db${suffix}`)) as [
    string,
    string,
    string,
  ];
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const copy = (from: string, to: string) =>
    runAs(owner, 'cp', [
      '--reflink=auto',
      '--no-dereference',
      '--preserve=mode',
      '--no-target-directory',
      '--',
      from,
      to,
    ]);
  return {
    message: 'Copying the database',
    isShared: async () => false,
    size: () => sizeOf(database) + sizeOf(log),
    async check() {
      // A copy of nothing would look like a copy.
      if (!existsSync(database))
        throw new UpdateError(
          `${database} does not exist; if Mooring uses PostgreSQL, set DATABASE_URL in ${environmentFile}`,
        );
    },
    async take(folder) {
      emptyFolder(owner, folder);
      const file = join(folder, 'mooring.db');
      const program = ['--input-type=module', '--eval', copyProgram, database, file];
      await runAs(owner, process.execPath, program, { NODE_NO_WARNINGS: '1' }).catch((error: Error) => {
        throw new UpdateError(`the database cannot be copied: ${error.message}`, { cause: error });
      });
      await runAs(owner, 'sync', [file]);
    },
    async restore(folder) {
      const draft = `${database}.restored`;
      await copy(join(folder, 'mooring.db'), draft);
      await runAs(owner, 'sync', [draft]);
      // The log of the failed version must never meet the restored database.
      await runAs(owner, 'rm', ['--force', '--', log, index]);
      await runAs(owner, 'mv', ['--force', '--no-target-directory', '--', draft, database]);
      // Earlier versions copied the log, too.
      if (existsSync(join(folder, 'mooring.db-wal'))) await copy(join(folder, 'mooring.db-wal'), log);
      await runAs(owner, 'sync', [database, dataDir]);
    },
  };
}

/** Drops all tables and functions, because a dump does not know those that the new version has created. */
const dropContents = `do $$ declare each record; begin
  for each in select tablename from pg_tables where schemaname = current_schema() loop
    execute format('drop table if exists %I cascade', each.tablename);
  end loop;
  for each in select oid::regprocedure as name from pg_proc where pronamespace = current_schema()::regnamespace
    and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = pg_proc.oid and deptype = 'e')
  loop
    execute format('drop routine if exists %s cascade', each.name);
  end loop; end $$`;

const otherConnections = `select count(*) from pg_stat_activity
  where datname = current_database() and usename = current_user and pid <> pg_backend_pid()
    and application_name <> '${workerConnections}'`;
const betweenLooksMs = 500;

function postgresSnapshots(owner: Owner, databaseUrl: string): Snapshots {
  // The list of processes shows arguments to everybody, so the password is passed in the environment.
  const url = new URL(databaseUrl);
  const env = { PGPASSWORD: decodeURIComponent(url.password), PGCONNECT_TIMEOUT: '10' };
  url.password = '';
  const to = `--dbname=${url.href}`;
  const ask = (text: string) =>
    runAs(owner, 'psql', ['--no-psqlrc', '--set=ON_ERROR_STOP=1', '--tuples-only', to, `--command=${text}`], env);
  const dump = (...args: string[]) =>
    runAs(owner, 'pg_dump', ['--format=custom', '--no-owner', '--no-privileges', ...args, to], env);
  return {
    message: 'Dumping the PostgreSQL database; the API of this replica is away until it is done',
    size: () => 0,
    async check() {
      await runAs(owner, 'pg_restore', ['--version']);
      await dump('--schema-only', '--no-sync', '--file=/dev/null');
    },
    async isShared(withinMs) {
      for (const end = Date.now() + withinMs; ; await sleep(betweenLooksMs)) {
        const isUsed = Number(await ask(otherConnections)) > 0;
        if (!isUsed || Date.now() > end) return isUsed;
      }
    },
    async take(folder) {
      emptyFolder(owner, folder);
      await dump(`--file=${join(folder, 'mooring.dump')}`);
      await runAs(owner, 'sync', [join(folder, 'mooring.dump')]);
    },
    async restore(folder) {
      const script = join(folder, 'restore.sql');
      const plain = ['--no-owner', '--no-privileges', `--file=${script}`];
      await runAs(owner, 'pg_restore', [...plain, join(folder, 'mooring.dump')]);
      // In one transaction: an empty database would become a new instance.
      const whole = ['--no-psqlrc', '--quiet', '--output=/dev/null', '--set=ON_ERROR_STOP=1', '--single-transaction'];
      await runAs(owner, 'psql', [...whole, to, `--command=${dropContents}`, `--file=${script}`], env);
      await runAs(owner, 'rm', ['--', script]);
    },
  };
}
