import type { Sql } from '../../../db/database.ts';
import type { OrganizationTable } from '../../../db/tables.ts';

export const insertOrganization = (sql: Sql, organization: OrganizationTable) =>
  sql.insertInto('organizations').values(organization).execute();

export const updateOrganization = (sql: Sql, id: string, name: string) =>
  sql.updateTable('organizations').set({ name }).where('id', '=', id).execute();

export const selectOrganization = (sql: Sql, id: string) =>
  sql.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst();

/** Whether the instance has one organization. */
export const isOnlyOrganization = async (sql: Sql): Promise<boolean> =>
  (await sql.selectFrom('organizations').select('id').limit(2).execute()).length === 1;

/** Locks the organization until the commit, so that rules over several rows are consistent. */
export const lockOrganization = (sql: Sql, id: string) =>
  // An update locks on both databases; SQLite has no `for update`.
  sql
    .updateTable('organizations')
    .set((eb) => ({ name: eb.ref('name') }))
    .where('id', '=', id)
    .execute();
