import type { Sql } from '../../../db/database.ts';
import type { GithostConnectionTable, GithostInstallationTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export const selectConnections = (sql: Sql, organizationId: string): Promise<GithostConnectionTable[]> =>
  tenant(sql, organizationId).select('githost_connections').selectAll().execute();

export const selectConnection = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).select('githost_connections').selectAll().where('id', '=', id).executeTakeFirst();

/** Of a connection that is still there. False otherwise. */
export async function updateTokens(sql: Sql, organizationId: string, id: string, tokens: string, at: number) {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('githost_connections', { tokens, updated_at: at })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const selectInstallations = (sql: Sql, organizationId: string): Promise<GithostInstallationTable[]> =>
  tenant(sql, organizationId).select('githost_installations').selectAll().orderBy('account_login').execute();
