import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Dialect, Kysely, type LogEvent, type Transaction } from 'kysely';
import { StartError } from '../errors.ts';
import type { AccessVersion, DataVersion } from './access-changes.ts';
import { camelCaseRows } from './column-names.ts';
import { againAfterDeadlock } from './deadlock.ts';
import { migrate } from './migrate.ts';
import type { Tables } from './tables.ts';
import { insideTransaction, sqliteDialect } from './sqlite-driver.ts';

export type Db = Kysely<Tables>;
export type Trx = Transaction<Tables>;
/** Either the database or a transaction. */
export type Sql = Db | Trx;
export type DatabaseKind = 'sqlite' | 'postgres';

type Options = {
  databaseUrl?: string | undefined;
  dataDir: string;
  /** Called for each statement; tests count them. */
  onStatement?: (sql: string) => void;
  /** Receives problems that the pool recovers from. */
  warn?: (message: string) => void;
  /** Receives the progress of migrations of an existing database. */
  onMigration?: (line: string) => void;
  /** False for commands that must not change a database that an older service may be using. */
  migrates?: boolean;
};

/** `background`: the same database for upkeep of many servers, which must leave connections to requests. */
export type Database = {
  db: Db;
  background: Db;
  kind: DatabaseKind;
  accessVersion: AccessVersion;
  dataVersion: DataVersion;
};

/** Opens the database and runs missing migrations, unless `migrates` is false. */
export async function openDatabase({
  databaseUrl,
  dataDir,
  onStatement,
  warn,
  onMigration,
  migrates = true,
}: Options): Promise<Database> {
  const kind: DatabaseKind = databaseUrl ? 'postgres' : 'sqlite';
  if (!databaseUrl) mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const log = onStatement && ((event: LogEvent) => onStatement(event.query.sql));
  const connect = async (limits: object) => {
    type Versions = { accessVersion: AccessVersion; dataVersion?: DataVersion };
    const dialect: Dialect & Versions & { background?: Dialect } = databaseUrl
      ? // Loaded on demand: SQLite setups never pay for it.
        await (await import('./postgres-dialect.ts')).postgresDialect(databaseUrl, limits, warn)
      : sqliteDialect({ file: join(dataDir, 'mooring.db'), onStatement });
    const on = (some: Dialect) =>
      new Kysely<Tables>({ dialect: some, plugins: databaseUrl ? [camelCaseRows] : [], ...(log && { log }) });
    const db = on(dialect);
    const background = dialect.background ? on(dialect.background) : db;
    const { accessVersion, dataVersion = () => undefined } = dialect;
    return { db, background, accessVersion, dataVersion };
  };
  const { db, ...others } = await connect(statementLimits);
  try {
    if (migrates) {
      // A migration of a large database takes longer than a request may.
      const patient = databaseUrl ? (await connect({})).db : db;
      try {
        await migrate(patient, kind, onMigration);
      } finally {
        if (patient !== db) await patient.destroy();
      }
    }
  } catch (error) {
    await db.destroy();
    if (error instanceof StartError) throw error;
    const where = databaseUrl ? 'DATABASE_URL' : join(dataDir, 'mooring.db');
    throw new StartError(`the database cannot be opened (${where}): ${(error as Error).message}`, { cause: error });
  }
  return { db, ...others, kind };
}

const statementLimits = { statement_timeout: 10_000, query_timeout: 12_000 };

/** Runs `work` in one transaction, again after a deadlock. Do no I/O inside, and use only the transaction. */
export function inTransaction<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  return againAfterDeadlock(() => db.transaction().execute((trx) => insideTransaction.run(true, () => work(trx))));
}

export function isUniqueViolation(error: unknown): boolean {
  const { code, errcode } = error as { code?: string; errcode?: number };
  return code === '23505' || errcode === 2067 || errcode === 1555;
}

// SQLite: busy for too long, disk full, or I/O error.
const sqliteTrouble = new Set([5, 10, 13]);

/** Whether the database is temporarily unavailable, rather than rejecting a statement. The caller may retry. */
export function isUnavailable(error: unknown): boolean {
  const { code, errcode, message = '' } = error as { code?: string; errcode?: number; message?: string };
  if (errcode !== undefined) return sqliteTrouble.has(errcode & 0xff);
  if (code && /^(08...|57P0[123]|57014|53...|ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|ETIMEDOUT)$/.test(code))
    return true;
  return /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection)/.test(
    message,
  );
}

/** Whether the disk is full: for SQLite, PostgreSQL or a file. */
export function isDiskFull(error: unknown): boolean {
  const { code, errcode } = error as { code?: string; errcode?: number };
  return (errcode !== undefined && (errcode & 0xff) === 13) || ['53100', 'ENOSPC', 'EDQUOT'].includes(code ?? '');
}
