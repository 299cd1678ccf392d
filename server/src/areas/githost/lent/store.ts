import type { Sql } from '../../../db/database.ts';
import type { GithostLentTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export const selectLent = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId).select('githost_lent').selectAll().executeTakeFirst();

/** Keeps an existing row and its cursor. */
export const insertLent = (sql: Sql, { organizationId, ...row }: GithostLentTable) =>
  tenant(sql, organizationId)
    .insert('githost_lent', row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();

export const updateCursor = (sql: Sql, organizationId: string, cursor: string) =>
  tenant(sql, organizationId).update('githost_lent', { cursor }).execute();

export const deleteLent = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId).delete('githost_lent').execute();

/** Not scoped to a tenant: for the worker. */
export const selectBorrowers = async (sql: Sql): Promise<string[]> =>
  (await sql.selectFrom('githost_lent').select('organizationId').execute()).map((row) => row.organizationId);

export const selectLentInstallations = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId).select('githost_installations').selectAll().where('proof', '=', 'cloud').execute();

export const deleteLentInstallations = (sql: Sql, organizationId: string, except: number[] = []) =>
  tenant(sql, organizationId)
    .delete('githost_installations')
    .where('proof', '=', 'cloud')
    .where('installationId', 'not in', except.length ? except : [-1])
    .execute();
