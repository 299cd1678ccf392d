import type { Sql } from '../../../db/database.ts';
import type { CloudDeploymentTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';
import type { ListFilter } from '../../deployments/store.ts';

export const selectKnown = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).select('cloud_deployments').selectAll().where('id', '=', id).executeTakeFirst();

/** Newest first, as those of this instance are listed. */
export function selectKnownPage(sql: Sql, organizationId: string, filter: ListFilter) {
  let query = tenant(sql, organizationId).select('cloud_deployments').selectAll();
  if (filter.projectId) query = query.where('project_id', '=', filter.projectId);
  if (filter.projectIds !== 'all')
    query = query.where('project_id', 'in', filter.projectIds.length ? filter.projectIds : ['']);
  if (filter.status) query = query.where('status', '=', filter.status);
  if (filter.cursor) query = query.where('id', '<', filter.cursor);
  return query.orderBy('id', 'desc').limit(filter.limit).execute();
}

export const selectKnownAll = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId).select('cloud_deployments').select(['id', 'status']).execute();

export async function selectSummaries(sql: Sql, organizationId: string, ids: string[]): Promise<Map<string, string>> {
  const rows = await tenant(sql, organizationId)
    .select('cloud_deployments')
    .select(['id', 'summary'])
    .where('id', 'in', ids.length ? ids : [''])
    .execute();
  return new Map(rows.map(({ id, summary }) => [id, summary]));
}

export async function putKnown(sql: Sql, { organization_id, ...row }: CloudDeploymentTable): Promise<void> {
  const { id: _, ...change } = row;
  await tenant(sql, organization_id)
    .insert('cloud_deployments', row)
    // Of two clouds that have given out the same id, which does not happen by chance, the first one keeps it.
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(change).where('cloud_deployments.organization_id', '=', organization_id),
    )
    .execute();
}

export const deleteKnown = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).delete('cloud_deployments').where('id', '=', id).execute();

export const deleteKnownOf = (sql: Sql, organizationId: string, projectId: string) =>
  tenant(sql, organizationId).delete('cloud_deployments').where('project_id', '=', projectId).execute();
