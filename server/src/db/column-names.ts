import { type KyselyPlugin, PostgresDialect, PostgresQueryCompiler, SqliteQueryCompiler } from 'kysely';

// Columns are snake_case in the database and camelCase in the program. Kysely's CamelCasePlugin would copy the tree
// of each query; here names are converted while the SQL is written, and once per result set.

/** Returns the column's name in the database. */
export const columnName = memoized((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
export const propertyName = memoized((name) =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
);

export function namedRow(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let i = 0; i < names.length; i++) row[names[i]!] = values[i];
  return row;
}

const quoted = memoized((name) => columnName(name).replaceAll('"', '""'));

export class CamelCaseSqliteCompiler extends SqliteQueryCompiler {
  protected override sanitizeIdentifier = quoted;
}

class CamelCasePostgresCompiler extends PostgresQueryCompiler {
  protected override sanitizeIdentifier = quoted;
}

export class CamelCasePostgresDialect extends PostgresDialect {
  override createQueryCompiler() {
    return new CamelCasePostgresCompiler();
  }
}

/** For PostgreSQL only; our SQLite driver converts rows itself. */
export const camelCaseRows: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => {
    // All rows of a result have the same keys.
    const names = Object.keys(result.rows[0] ?? {}).map(propertyName);
    return { ...result, rows: result.rows.map((row) => namedRow(names, Object.values(row))) };
  },
};

/** Bounded, because the names come from our code. */
function memoized(map: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const mapped = map(name);
    known.set(name, mapped);
    return mapped;
  };
}
