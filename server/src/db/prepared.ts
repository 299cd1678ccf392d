import type { Compilable, CompiledQuery } from 'kysely';
import type { Sql } from './database.ts';
import { nameStatement } from './statement-names.ts';
import { OneConnectionAdapter } from './sqlite-driver.ts';

class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Placeholder for a value that is supplied when the query runs. */
export type Slots<V> = <K extends keyof V & string>(name: K) => V[K];

/** Builds and compiles a query once per kind of database, for hot paths where building costs more than running. */
export function prepared<V extends Record<string, unknown>, R>(
  build: (sql: Sql, slot: Slots<V>) => Compilable<R>,
): (sql: Sql, values: V) => Promise<R[]> {
  const compiledFor = new WeakMap<object, CompiledQuery<R>>();
  return async (sql, values) => {
    const { adapter } = sql.getExecutor();
    let compiled = compiledFor.get(adapter);
    if (!compiled) {
      compiled = build(sql, (name) => new Slot(name) as never).compile();
      compiledFor.set(adapter, compiled);
      nameStatement(compiled.sql);
    }
    const parameters = compiled.parameters.map((each) => (each instanceof Slot ? values[each.name] : each));
    const query = { ...compiled, parameters };
    const now = adapter instanceof OneConnectionAdapter ? adapter.executeNow<R>(query, sql.isTransaction) : undefined;
    return (now ?? (await sql.executeQuery<R>(query))).rows;
  };
}
