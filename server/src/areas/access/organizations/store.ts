import type { Sql } from '../../../db/database.ts';
import type { OrganizationTable } from '../../../db/tables.ts';

export const insertOrganization = (sql: Sql, organization: OrganizationTable) =>
  sql.insertInto('organizations').values(organization).execute();

export const updateOrganization = (sql: Sql, id: string, name: string) =>
  sql.updateTable('organizations').set({ name }).where('id', '=', id).execute();

export const selectOrganization = (sql: Sql, id: string) =>
  sql.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst();

/** Whether there is no other one on the instance. */
export const isOnlyOrganization = async (sql: Sql): Promise<boolean> =>
  (await sql.selectFrom('organizations').select('id').limit(2).execute()).length === 1;

/** Holds the organization for the rest of the transaction, so that rules over several of its rows see one truth. */
export const lockOrganization = (sql: Sql, id: string) =>
  // An update locks on both databases; SQLite has no `for update` and needs none.
  sql
    .updateTable('organizations')
    .set((eb) => ({ name: eb.ref('name') }))
    .where('id', '=', id)
    .execute();
