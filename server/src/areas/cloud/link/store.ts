import type { Sql } from '../../../db/database.ts';
import type { CloudLinkTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export const selectCloudLink = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId).select('cloud_links').selectAll().executeTakeFirst();

export const deleteCloudLink = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId).delete('cloud_links').executeTakeFirst();

export async function replaceLink(sql: Sql, { organizationId, ...row }: CloudLinkTable): Promise<void> {
  await deleteCloudLink(sql, organizationId);
  await tenant(sql, organizationId).insert('cloud_links', row).execute();
}
