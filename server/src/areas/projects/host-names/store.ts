import type { Sql } from '../../../db/database.ts';
import type { HostNameTable } from '../../../db/tables.ts';

/** Who has a name. Names are the instance's: one owner each, whatever the organization. */
export const selectHostName = (sql: Sql, name: string) =>
  sql.selectFrom('host_names').selectAll().where('name', '=', name).executeTakeFirst();

export const selectHostNames = (sql: Sql, projectId: string, environment: string) =>
  sql
    .selectFrom('host_names')
    .select('name')
    .where('projectId', '=', projectId)
    .where('environment', '=', environment)
    .execute();

/** For the service itself, which points the edge: names of everybody. */
export const selectAllHostNames = (sql: Sql) =>
  sql.selectFrom('host_names').select(['name', 'projectId', 'environment']).execute();

/** Takes the name if nobody has it. */
export const insertHostName = (sql: Sql, row: HostNameTable) =>
  sql
    .insertInto('host_names')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();

/** Names of the instance that begin with this. A name has no wildcards in it. */
export async function selectNamesLike(sql: Sql, stem: string): Promise<Set<string>> {
  const rows = await sql.selectFrom('host_names').select('name').where('name', 'like', `${stem}%`).execute();
  return new Set(rows.map(({ name }) => name));
}

/** The environment of the project answers under these names by now; only that of its slug waits for the next release. */
export const deleteOtherNames = (sql: Sql, projectId: string, environment: string, names: string[]) =>
  sql
    .deleteFrom('host_names')
    .where('projectId', '=', projectId)
    .where('environment', '=', environment)
    .where('name', 'not in', names)
    .where('name', 'not in', (eb) => eb.selectFrom('projects').select('slug').where('id', '=', projectId))
    .execute();
