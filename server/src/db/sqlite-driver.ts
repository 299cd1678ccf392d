import { AsyncLocalStorage } from 'node:async_hooks';
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
} from 'kysely';
import { CamelCaseSqliteCompiler, propertyName, namedRow } from './column-names.ts';

/** Kysely on `node:sqlite`: one connection, used by one caller at a time; transactions start with BEGIN IMMEDIATE. */
export function sqliteDialect(file: string): Dialect {
  return {
    createAdapter: () => new OneConnectionAdapter(),
    createDriver: () => new SqliteDriver(file),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new CamelCaseSqliteCompiler(),
  };
}

/** Our driver serializes access itself; Kysely's lock would hang where ours can report the mistake. */
class OneConnectionAdapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true;
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

  async beginTransaction() {
    await patiently(() => this.#connection!.run('BEGIN IMMEDIATE'));
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

class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, { statement: StatementSync; names: string[] }>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get inTransaction() {
    return this.#database.isTransaction;
  }

  run(sql: string) {
    this.#prepare(sql).statement.run();
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // Inside a transaction the lock is held already, so a retry would not help.
    return this.inTransaction ? this.#execute<R>(query) : patiently(() => this.#execute<R>(query));
  }

  #execute<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    const { statement, names } = this.#prepare(sql);
    if (names.length) {
      const rows = statement.all(...(parameters as never[])) as unknown as unknown[][];
      return { rows: rows.map((values) => namedRow(names, values) as R) };
    }
    const { changes } = statement.run(...(parameters as never[]));
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('rows are not streamed from SQLite; page through them');
  }

  close() {
    this.#database.close();
  }

  #prepare(sql: string) {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    const prepared = { statement, names: statement.columns().map(({ name }) => propertyName(name)) };
    // Lists of ids create statements of any length; the cache stays small by starting over. Statements keep the
    // column names from when they were prepared.
    if (this.#statements.size >= 500 || /^\s*(alter|drop)\b/i.test(sql)) this.#statements.clear();
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

const busy = 5;
const mostWaitMs = 5000;

/** Retries while a command on the same machine writes. SQLite's own busy timeout would block the event loop. */
async function patiently<T>(attempt: () => T): Promise<T> {
  for (const end = performance.now() + mostWaitMs; ;) {
    try {
      return attempt();
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== busy || performance.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
