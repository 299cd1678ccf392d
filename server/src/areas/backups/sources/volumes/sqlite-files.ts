import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { chown, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { HeldFolder } from '../../../../lib/held-folder.ts';
import { isSqlite, magicBytes } from '../../../../lib/sqlite-format.ts';

// SQLite files are opened in a child process: a file of a user may be damaged or hostile, and a check of a large one
// would block the service.

type Options = { user?: { uid: number; gid: number } | null | undefined; signal: AbortSignal };

const deadlineMs = 3_600_000;
const busyMs = 30_000;

async function inChild(program: string, args: string[], { user, signal }: Options): Promise<string> {
  const flags = ['--no-warnings', '--input-type=module', '--eval', program, '--'];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, ...args], {
    env: {},
    cwd: '/',
    timeout: deadlineMs,
    maxBuffer: 16 * 2 ** 20,
    signal,
    ...(user && { uid: user.uid, gid: user.gid }),
  });
  return stdout.trim();
}

/** Copies a live database with SQLite's backup API, in one step: it always ends, however busy the database is. Runs as
 * the user of the app, so that a link in place of the file leads nowhere that the app may not read. */
export async function backUpSqlite(from: string, to: string, options: Options): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  if (options.user) await chown(dirname(to), options.user.uid, options.user.gid);
  await inChild(
    `import { backup, DatabaseSync } from 'node:sqlite';
    import { pathToFileURL } from 'node:url';
    const [from, to] = process.argv.slice(1);
    // By default, SQLite would create a file that has disappeared.
    const existing = pathToFileURL(from);
    existing.searchParams.set('mode', 'rw');
    const database = new DatabaseSync(existing, { timeout: ${busyMs} });
    await backup(database, to, { rate: 2 ** 31 - 1 });`,
    [from, to],
    options,
  );
}

/** Applies the write-ahead log or journal of a copy, so that the file is complete by itself. Returns what
 * `PRAGMA quick_check` says. */
export const checkpointSqlite = (path: string, options: Options): Promise<string> =>
  inChild(
    `import { DatabaseSync } from 'node:sqlite';
    const database = new DatabaseSync(process.argv[1]);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    console.log(database.prepare('PRAGMA quick_check(1)').all().map((row) => Object.values(row)[0]).join());
    database.close();`,
    [path],
    options,
  );

/** Checks a restored database and counts the rows of its tables, or runs a query. */
export const proveSqlite = (path: string, query: string | null, options: Options): Promise<string> =>
  inChild(
    `import { DatabaseSync } from 'node:sqlite';
    const [path, query] = process.argv.slice(1);
    const database = new DatabaseSync(path, { readOnly: true });
    const values = (sql) => database.prepare(sql).all().map((row) => Object.values(row).join('|'));
    const quoted = (name) => '"' + name.replaceAll('"', '""') + '"';
    const tables = () => values("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\\\_%' ESCAPE '\\\\' ORDER BY name");
    const check = values('PRAGMA integrity_check(3)').join('; ');
    if (check !== 'ok') throw new Error('integrity_check: ' + check);
    const lines = query ? values(query) : tables().map((name) => name + '|' + values('SELECT count(*) FROM ' + quoted(name)));
    console.log(lines.join('\\n'));`,
    query === null ? [path] : [path, query],
    options,
  );

/** Yields the paths of the SQLite databases in a folder, which its owner may change meanwhile. */
export async function* sqliteFilesIn(folder: string): AsyncGenerator<string> {
  const held = await HeldFolder.open(folder).catch(ifGone);
  if (held) yield* databasesIn(held, '');
}

async function* databasesIn(held: HeldFolder, path: string): AsyncGenerator<string> {
  try {
    for (const entry of await held.entries()) {
      const inner = path ? `${path}/${entry.name}` : entry.name;
      const folder = entry.isDirectory() ? await held.enter(entry.name) : undefined;
      if (folder) yield* databasesIn(folder, inner);
      else if (entry.isFile() && (await isDatabase(held.at(entry.name)))) yield inner;
    }
  } finally {
    await held.close();
  }
}

async function isDatabase(path: string): Promise<boolean> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(ifGone);
  if (!file) return false;
  try {
    return isSqlite((await file.read(Buffer.alloc(magicBytes), 0, magicBytes, 0)).buffer);
  } finally {
    await file.close();
  }
}

const ifGone = (error: NodeJS.ErrnoException): undefined => {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EACCES'].includes(error.code ?? '')) throw error;
};
