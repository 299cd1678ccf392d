import { AsyncLocalStorage } from 'node:async_hooks';
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
} from 'kysely';
import type { AccessVersion, DataVersion } from './access-changes.ts';
import { CamelCaseSqliteCompiler } from './column-names.ts';
import { SqliteConnection, retryWhileBusy, unlessBusy } from './sqlite-connection.ts';

type Versions = { accessVersion: AccessVersion; dataVersion: DataVersion };
type Options = { file: string; onStatement?: ((sql: string) => void) | undefined };

/** Kysely on `node:sqlite`: one connection, used by one caller at a time; transactions start with BEGIN IMMEDIATE. */
export function sqliteDialect({ file, onStatement }: Options): Dialect & Versions {
  const driver = new SqliteDriver(file);
  return {
    createAdapter: () => new OneConnectionAdapter(driver, onStatement),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new CamelCaseSqliteCompiler(),
    accessVersion: () => driver.accessVersion(),
    dataVersion: () => driver.dataVersion(),
  };
}

/** Our driver serializes access itself; Kysely's lock would hang where ours can report the mistake. */
export class OneConnectionAdapter extends SqliteAdapter {
  readonly #driver: SqliteDriver;
  readonly #onStatement: Options['onStatement'];

  constructor(driver: SqliteDriver, onStatement: Options['onStatement']) {
    super();
    this.#driver = driver;
    this.#onStatement = onStatement;
  }

  override get supportsMultipleConnections() {
    return true;
  }

  /** Runs a query without the promises of Kysely, which cost more than the query. Undefined if it has to wait. */
  executeNow<R>(query: CompiledQuery, inTransaction: boolean): QueryResult<R> | undefined {
    const result = this.#driver.executeNow<R>(query, inTransaction);
    if (result) this.#onStatement?.(query.sql);
    return result;
  }
}

/** Set during a transaction, so that requesting the connection again fails at once instead of hanging. */
export const insideTransaction = new AsyncLocalStorage<true>();

class SqliteDriver implements Driver {
  readonly #file: string;
  #connection: SqliteConnection | undefined;
  #busy = false;
  readonly #waiting: (() => void)[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  async init() {
    closeSync(openSync(this.#file, 'a', 0o600));
    const database = new DatabaseSync(this.#file, { timeout: 5000, enableForeignKeyConstraints: true });
    database.exec(
      'PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 20; PRAGMA synchronous = FULL; PRAGMA cache_size = -4096',
    );
    this.#connection = new SqliteConnection(database);
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#busy) {
      if (insideTransaction.getStore())
        throw new Error('inside a transaction, use the transaction and not the database');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#busy = true;
    return this.#connection!;
  }

  async releaseConnection() {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#busy = false;
  }

  executeNow<R>(query: CompiledQuery, inTransaction: boolean): QueryResult<R> | undefined {
    if (!this.#connection || (this.#busy && !inTransaction)) return undefined;
    return unlessBusy(() => this.#connection!.executeOften<R>(query));
  }

  accessVersion(): number | undefined {
    return this.#connection && unlessBusy(() => this.#connection!.accessVersion());
  }

  dataVersion(): number | undefined {
    return this.#connection && unlessBusy(() => this.#connection!.dataVersion());
  }

  async beginTransaction() {
    await retryWhileBusy(() => this.#connection!.run('BEGIN IMMEDIATE'));
  }

  async commitTransaction() {
    this.#connection!.run('COMMIT');
  }

  async rollbackTransaction() {
    // A failed COMMIT or a full disk may have ended it already; a second ROLLBACK would hide the first error.
    if (this.#connection!.inTransaction) this.#connection!.run('ROLLBACK');
  }

  async destroy() {
    this.#connection?.close();
  }
}
