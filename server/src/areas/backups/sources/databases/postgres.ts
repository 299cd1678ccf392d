import { setTimeout as sleep } from 'node:timers/promises';
import { BackupError } from '../source.ts';
import {
  connectOrTcp,
  type DatabaseEngine,
  type DatabaseServer,
  type DatabaseDump,
  rowsOf,
  textInput,
} from './engine.ts';

const psql = ['psql', '--no-psqlrc', '--quiet', '--no-align', '--tuples-only', '--set=ON_ERROR_STOP=1'];
const lockWaitMs = 60_000;
const renameTries = 5;
/** Exists in every cluster; `postgres` may have been dropped. */
const maintenance = 'template1';

/** `"` is doubled; everything else is allowed. */
export const quotedPostgresName = (name: string): string => {
  if (name.includes('\0')) throw new BackupError('bad_name', 'A database name cannot contain NUL', 'Rename it.');
  return `"${name.replaceAll('"', '""')}"`;
};
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** SQL travels on standard input. No name in it can start a psql command, because all of them are quoted. */
function run({ tools, login }: DatabaseServer, database: string, sql: string, more: Record<string, string> = {}) {
  // Backslashes in literals are plain characters, whatever the server's default is.
  const text = `SET standard_conforming_strings = on;\n${sql}\n`;
  return tools.run({ args: psql, env: { ...login, ...more, PGDATABASE: database }, input: textInput(text) });
}

export const postgres: DatabaseEngine = {
  file: 'postgres.dump',

  connect: (server) => connectOrTcp(server, 'PGHOST', (at) => run(at, maintenance, 'SELECT 1;')),

  /** While an image initializes its cluster, the server listens on a socket only. */
  isReady: ({ tools }) =>
    tools.run({ args: ['pg_isready', '--quiet', '--host=127.0.0.1'] }).then(
      () => true,
      (error: BackupError) => {
        if (error.code === 'tool_failed') return false;
        throw error;
      },
    ),

  async list(server) {
    // In hex, because names may contain anything.
    const sql = `SELECT encode(convert_to(datname, 'UTF8'), 'hex') FROM pg_database
      WHERE datallowconn AND NOT datistemplate ORDER BY datname;`;
    return rowsOf(await run(server, maintenance, sql)).map((hex) => Buffer.from(hex, 'hex').toString());
  },

  async dump({ tools, login }, database, onOutput) {
    const args = ['pg_dump', '--format=custom', '--compress=0', '--no-password', `--lock-wait-timeout=${lockWaitMs}`];
    await tools.run({ args, env: { ...login, PGDATABASE: database }, onOutput });
  },

  async load(server, dump, database) {
    await run(server, maintenance, `CREATE DATABASE ${quotedPostgresName(database)} TEMPLATE template0;`);
    await fill(server, dump, database);
  },

  async replace(server, dump, database, temporary) {
    const old = `${temporary}_old`;
    // An attempt that was killed may have left both.
    for (const name of [temporary, old]) await postgres.drop(server, name);
    const isThere = (await postgres.list(server)).includes(database);
    await run(server, maintenance, await createLike(server, temporary, isThere ? database : null));
    try {
      await fill(server, dump, temporary);
      if (isThere) await run(server, maintenance, await settingsOf(server, database, temporary));
      await swap(server, { database, temporary, old: isThere ? old : null });
    } catch (error) {
      await postgres.drop(server, temporary).catch(() => {});
      throw error;
    }
    await postgres.drop(server, old);
  },

  async drop(server, database) {
    const sessions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${literal(database)};`;
    await run(server, maintenance, `${sessions}\nDROP DATABASE IF EXISTS ${quotedPostgresName(database)};`);
  },

  async prove(server, database, query) {
    if (query === null) {
      const counting = `SELECT format('SELECT %L, count(*) FROM %I.%I', n.nspname || '.' || c.relname, n.nspname, c.relname)
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname !~ '^(pg_|information_schema$)'
        ORDER BY n.nspname, c.relname \\gexec`;
      const result = await run(server, database, counting, { PGTZ: 'UTC' });
      return { query: 'SELECT count(*) of each table', result: rowsOf(result).join('\n') };
    }
    // As an argument, text that does not begin with a backslash is passed to the server without being interpreted.
    const args = [...psql, `--command=BEGIN TRANSACTION READ ONLY;\n${query}`];
    const env = { ...server.login, PGDATABASE: database, PGOPTIONS: '-c statement_timeout=600000' };
    return { query, result: (await server.tools.run({ args, env })).trim() };
  },
};

/** As an argument, a name with `=` would be read as connection settings. */
const connectionTo = (database: string): string =>
  `dbname='${database.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

async function fill(server: DatabaseServer, dump: DatabaseDump, database: string): Promise<void> {
  const restore = (more: string[]) =>
    server.tools.run({
      args: ['pg_restore', '--exit-on-error', '--no-password', `--dbname=${connectionTo(database)}`, ...more],
      env: server.login,
      input: dump.read(),
    });
  const withoutRoles = ['--no-owner', '--no-privileges'];
  if (dump.isElsewhere) return void (await restore(withoutRoles));
  try {
    await restore([]);
  } catch (error) {
    if (!(error instanceof BackupError) || !/role ".*" does not exist/.test(error.message)) throw error;
    dump.say('A role of the backup no longer exists: everything now belongs to the user that restores it.');
    await postgres.drop(server, database);
    await run(server, maintenance, await createLike(server, database, null));
    await restore(withoutRoles);
  }
}

/** Returns the statement that creates a database with the owner, encoding and locale of another one. */
async function createLike(server: DatabaseServer, name: string, like: string | null): Promise<string> {
  const create = `CREATE DATABASE ${quotedPostgresName(name)} TEMPLATE template0`;
  if (like === null) return `${create};`;
  const sql = `SELECT format('OWNER %I ENCODING %L LC_COLLATE %L LC_CTYPE %L', pg_get_userbyid(datdba),
    pg_encoding_to_char(encoding), datcollate, datctype) || CASE WHEN to_jsonb(d)->>'datlocprovider' = 'i' THEN
    format(' LOCALE_PROVIDER icu ICU_LOCALE %L', coalesce(to_jsonb(d)->>'datlocale', to_jsonb(d)->>'daticulocale'))
    ELSE '' END FROM pg_database d WHERE datname = ${literal(like)};`;
  return `${create} ${(await run(server, maintenance, sql)).trim()};`;
}

/** Returns statements that copy settings (ALTER DATABASE ... SET) and privileges from one database to another. */
async function settingsOf(server: DatabaseServer, from: string, to: string): Promise<string> {
  const target = literal(to);
  const sql = `
    SELECT format('ALTER %s DATABASE %I SET %I TO %s;', CASE WHEN r.oid IS NULL THEN '' ELSE format('ROLE %I IN', r.rolname) END,
      ${target}, split_part(c, '=', 1), CASE WHEN c ~ '^(search_path|session_preload_libraries|local_preload_libraries)='
      THEN substr(c, strpos(c, '=') + 1) ELSE quote_literal(substr(c, strpos(c, '=') + 1)) END)
    FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
      LEFT JOIN pg_roles r ON r.oid = s.setrole CROSS JOIN unnest(s.setconfig) c WHERE d.datname = ${literal(from)};
    SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC;', ${target})
    FROM pg_database WHERE datname = ${literal(from)} AND datacl IS NOT NULL;
    SELECT format('GRANT %s ON DATABASE %I TO %s;', a.privilege_type, ${target},
      CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END)
    FROM pg_database d CROSS JOIN aclexplode(d.datacl) a WHERE d.datname = ${literal(from)};`;
  return run(server, maintenance, sql);
}

type Swap = { database: string; temporary: string; old: string | null };

/** Swaps two databases in one transaction: each name always leads to a whole database. */
async function swap(server: DatabaseServer, { database, temporary, old }: Swap): Promise<void> {
  const sessions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname IN (${literal(database)}, ${literal(temporary)});`;
  const renames = [
    ...(old === null ? [] : [`ALTER DATABASE ${quotedPostgresName(database)} RENAME TO ${quotedPostgresName(old)};`]),
    `ALTER DATABASE ${quotedPostgresName(temporary)} RENAME TO ${quotedPostgresName(database)};`,
  ];
  for (let tries = 1; ; tries++)
    try {
      return void (await run(server, maintenance, ['BEGIN;', sessions, ...renames, 'COMMIT;'].join('\n')));
    } catch (error) {
      // Clients outside the project connect again and again.
      if (tries === renameTries || !/being accessed by other users/.test((error as Error).message)) throw error;
      await sleep(200 * tries);
    }
}
