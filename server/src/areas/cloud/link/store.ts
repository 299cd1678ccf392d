import type { Sql } from '../../../db/database.ts';
import type { CloudLinkTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export const selectLink = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId).select('cloud_links').selectAll().executeTakeFirst();

export const deleteLink = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId).delete('cloud_links').executeTakeFirst();

export async function replaceLink(sql: Sql, { organization_id, ...row }: CloudLinkTable): Promise<void> {
  await deleteLink(sql, organization_id);
  await tenant(sql, organization_id).insert('cloud_links', row).execute();
}
