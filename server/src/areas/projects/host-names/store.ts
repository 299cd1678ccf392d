import type { Sql } from '../../../db/database.ts';
import type { HostNameTable } from '../../../db/tables.ts';

/** Not scoped to a tenant: names are unique across the instance. */
export const selectHostName = (sql: Sql, name: string) =>
  sql.selectFrom('host_names').selectAll().where('name', '=', name).executeTakeFirst();

export const selectHostNames = (sql: Sql, projectId: string, environment: string) =>
  sql
    .selectFrom('host_names')
    .select('name')
    .where('projectId', '=', projectId)
    .where('environment', '=', environment)
    .execute();

/** Not scoped to a tenant: the edge serves the names of all organizations. */
export const selectAllHostNames = (sql: Sql) =>
  sql.selectFrom('host_names').select(['name', 'projectId', 'environment']).execute();

/** Inserts the name unless it is taken. */
export const insertHostName = (sql: Sql, row: HostNameTable) =>
  sql
    .insertInto('host_names')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();

/** Returns the names with this prefix. Names contain no wildcards. */
export async function selectNamesLike(sql: Sql, stem: string): Promise<Set<string>> {
  const rows = await sql.selectFrom('host_names').select('name').where('name', 'like', `${stem}%`).execute();
  return new Set(rows.map(({ name }) => name));
}

/** Releases the other names of an environment, except the slug, which waits for the next release. */
export const deleteOtherNames = (sql: Sql, projectId: string, environment: string, names: string[]) =>
  sql
    .deleteFrom('host_names')
    .where('projectId', '=', projectId)
    .where('environment', '=', environment)
    .where('name', 'not in', names)
    .where('name', 'not in', (eb) => eb.selectFrom('projects').select('slug').where('id', '=', projectId))
    .execute();
