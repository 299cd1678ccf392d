import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely, type LogEvent, type Transaction } from 'kysely';
import { StartError } from '../errors.ts';
import { CamelCasePostgresDialect, camelCaseRows } from './column-names.ts';
import { migrate } from './migrate.ts';
import type { Tables } from './tables.ts';
import { insideTransaction, sqliteDialect } from './sqlite-driver.ts';

export type Db = Kysely<Tables>;
export type Trx = Transaction<Tables>;
/** What a store takes: the database, or a transaction of it. */
export type Sql = Db | Trx;
export type DatabaseKind = 'sqlite' | 'postgres';

type Options = {
  databaseUrl?: string | undefined;
  dataDir: string;
  /** Told of each statement; tests count with it. */
  onStatement?: (sql: string) => void;
  /** Told of trouble that the pool mends by itself. */
  warn?: (message: string) => void;
};

export type Database = { db: Db; kind: DatabaseKind };

/** Opens the database and brings it to the newest migration. */
export async function openDatabase({ databaseUrl, dataDir, onStatement, warn }: Options): Promise<Database> {
  const kind: DatabaseKind = databaseUrl ? 'postgres' : 'sqlite';
  if (!databaseUrl) mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const dialect = databaseUrl ? await postgresDialect(databaseUrl, warn) : sqliteDialect(join(dataDir, 'mooring.db'));
  const log = onStatement && ((event: LogEvent) => onStatement(event.query.sql));
  const db = new Kysely<Tables>({ dialect, plugins: databaseUrl ? [camelCaseRows] : [], ...(log && { log }) });
  try {
    await migrate(db, kind);
  } catch (error) {
    await db.destroy();
    if (error instanceof StartError) throw error;
    const where = databaseUrl ? 'DATABASE_URL' : join(dataDir, 'mooring.db');
    throw new StartError(`the database cannot be opened (${where}): ${(error as Error).message}`, { cause: error });
  }
  return { db, kind };
}

async function postgresDialect(connectionString: string, warn: Options['warn']) {
  // Loaded only here: the embedded set-up never pays for it.
  const { default: pg } = await import('pg');
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({
    connectionString,
    max: 10,
    connectionTimeoutMillis: 5000,
    statement_timeout: 10_000,
    query_timeout: 12_000,
    // A replica that hangs in the middle of a transaction, or is cut off, must not hold rows against all others.
    idle_in_transaction_session_timeout: 10_000,
  });
  // A connection that breaks is replaced by the pool, and whoever uses it sees its next statement fail. Without a
  // listener, in the pool or between two statements of a transaction, it would end the process.
  const broke = (error: Error) => warn?.(`a database connection broke: ${error.message}`);
  pool.on('error', broke).on('connect', (client) => client.on('error', broke));
  return new CamelCasePostgresDialect({ pool });
}

/** Runs `work` in one transaction. No I/O inside, and only the transaction is used. */
export function inTransaction<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  return db.transaction().execute((trx) => insideTransaction.run(true, () => work(trx)));
}

export function isUniqueViolation(error: unknown): boolean {
  const { code, errcode } = error as { code?: string; errcode?: number };
  return code === '23505' || errcode === 2067 || errcode === 1555;
}

// SQLite: in use by another program for too long, the disk is full, or it fails.
const sqliteTrouble = new Set([5, 10, 13]);

/** The database cannot serve now (not: refused a statement). The caller may try again. */
export function isUnavailable(error: unknown): boolean {
  const { code, errcode, message = '' } = error as { code?: string; errcode?: number; message?: string };
  if (errcode !== undefined) return sqliteTrouble.has(errcode & 0xff);
  if (code && /^(08...|57P0[123]|57014|53...|ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|ETIMEDOUT)$/.test(code))
    return true;
  return /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection)/.test(
    message,
  );
}

/** There is no room for what was to be written: in SQLite, in PostgreSQL, or in a file. */
export function isDiskFull(error: unknown): boolean {
  const { code, errcode } = error as { code?: string; errcode?: number };
  return (errcode !== undefined && (errcode & 0xff) === 13) || ['53100', 'ENOSPC', 'EDQUOT'].includes(code ?? '');
}
