import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { mayChange, mayChangeAccess } from './access-changes.ts';
import { namedRow, propertyName } from './column-names.ts';

/** The connection of this process, with its prepared statements. */
export class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, Prepared>();
  readonly #dataVersion: StatementSync;
  #seenDataVersion = 0;
  #sawOthers = false;
  #accessVersion = 0;
  #version = 0;
  #hasChangedAccess = false;
  #hasChanged = false;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#dataVersion = database.prepare('PRAGMA data_version');
    this.#dataVersion.setReturnArrays(true);
  }

  /** See `AccessVersion`. SQLite's own number differs after commits of other processes only, which are rare. */
  accessVersion(): number {
    this.#seeOthers();
    return this.#accessVersion;
  }

  /** See `DataVersion`. */
  dataVersion(): number {
    this.#seeOthers();
    return this.#version;
  }

  /** Once per turn of the event loop: the requests of a turn have arrived before the first of them is handled. */
  #seeOthers() {
    if (this.#sawOthers) return;
    const [version] = this.#dataVersion.get() as unknown as [number];
    this.#sawOthers = true;
    setImmediate(() => (this.#sawOthers = false));
    if (version === this.#seenDataVersion) return;
    this.#seenDataVersion = version;
    this.#accessVersion++;
    this.#version++;
  }

  get inTransaction() {
    return this.#database.isTransaction;
  }

  run(sql: string) {
    this.#prepare(sql).statement.run();
    if (!this.inTransaction) this.#publish();
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // Inside a transaction the lock is held already, so a retry would not help.
    return this.inTransaction ? this.execute<R>(query) : retryWhileBusy(() => this.execute<R>(query));
  }

  /** For a query that runs often. */
  executeOften<R>(query: CompiledQuery): QueryResult<R> {
    const prepared = this.#prepare(query.sql);
    prepared.toRow ??= rowMaker(prepared.names);
    return this.execute<R>(query);
  }

  execute<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    const prepared = this.#prepare(sql);
    if (!prepared.changes) return rowsOf(prepared, parameters);
    this.#hasChanged = true;
    this.#hasChangedAccess ||= prepared.changesAccess;
    try {
      return rowsOf(prepared, parameters);
    } finally {
      if (!this.inTransaction) this.#publish();
    }
  }

  #publish() {
    if (this.#hasChanged) this.#version++;
    if (this.#hasChangedAccess) this.#accessVersion++;
    this.#hasChanged = false;
    this.#hasChangedAccess = false;
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('rows are not streamed from SQLite; page through them');
  }

  close() {
    this.#database.close();
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    const names = statement.columns().map(({ name }) => propertyName(name));
    const prepared: Prepared = { statement, names, changes: mayChange(sql), changesAccess: mayChangeAccess(sql) };
    // Lists of ids create statements of any length; the cache stays small by starting over. Statements keep the
    // column names from when they were prepared.
    if (this.#statements.size >= 500 || /^\s*(alter|drop)\b/i.test(sql)) this.#statements.clear();
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

type ToRow = (values: unknown[]) => Record<string, unknown>;
type Prepared = {
  statement: StatementSync;
  names: string[];
  changes: boolean;
  changesAccess: boolean;
  toRow?: ToRow;
};

function rowsOf<R>({ statement, names, toRow }: Prepared, parameters: readonly unknown[]): QueryResult<R> {
  if (names.length) {
    const rows = statement.all(...(parameters as never[])) as unknown as unknown[][];
    return { rows: rows.map(toRow ?? ((values) => namedRow(names, values))) as R[] };
  }
  const { changes } = statement.run(...(parameters as never[]));
  return { rows: [], numAffectedRows: BigInt(changes) };
}

/** A literal with all columns is ten times as fast as setting them one after the other. */
const rowMaker = (names: string[]): ToRow =>
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- the names are columns of our own queries
  new Function('values', `return {${names.map((name, i) => `${JSON.stringify(name)}:values[${i}]`).join()}}`) as ToRow;

const busy = 5;
const mostWaitMs = 5000;

const isBusy = (error: unknown) => (error as { errcode?: number }).errcode === busy;

export function unlessBusy<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch (error) {
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/** Retries while a command on the same machine writes. SQLite's own busy timeout would block the event loop. */
export async function retryWhileBusy<T>(attempt: () => T): Promise<T> {
  for (const end = performance.now() + mostWaitMs; ;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
