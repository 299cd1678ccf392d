import type { Sql } from '../../../db/database.ts';
import type { CloudDeploymentTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export const selectLastSeen = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).select('cloud_deployments').selectAll().where('id', '=', id).executeTakeFirst();

export const selectAllLastSeen = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId).select('cloud_deployments').select(['id', 'status']).execute();

export async function selectSummaries(sql: Sql, organizationId: string, ids: string[]): Promise<Map<string, string>> {
  const rows = await tenant(sql, organizationId)
    .select('cloud_deployments')
    .select(['id', 'summary'])
    .where('id', 'in', ids.length ? ids : [''])
    .execute();
  return new Map(rows.map(({ id, summary }) => [id, summary]));
}

/** Not scoped to a tenant: returns the ids that are deployments of this instance. */
export async function selectOwnDeploymentIds(sql: Sql, ids: string[]): Promise<Set<string>> {
  const rows = await sql
    .selectFrom('deployments')
    .select('id')
    .where('id', 'in', ids.length ? ids : [''])
    .execute();
  return new Set(rows.map(({ id }) => id));
}

export async function putLastSeen(sql: Sql, { organizationId, ...row }: CloudDeploymentTable): Promise<void> {
  const { id: _, ...change } = row;
  await tenant(sql, organizationId)
    .insert('cloud_deployments', row)
    // If two clouds use the same id, the first one keeps it.
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(change).where('cloud_deployments.organizationId', '=', organizationId),
    )
    .execute();
}

/** Keeps the newest deployments of each project. */
export async function trimLastSeen(sql: Sql, organizationId: string, mostOfProject: number): Promise<void> {
  const own = tenant(sql, organizationId);
  const counted = own
    .select('cloud_deployments')
    .select('id')
    .select((eb) =>
      eb.fn
        .agg<number>('row_number')
        .over((window) => window.partitionBy('projectId').orderBy('id', 'desc'))
        .as('place'),
    )
    .as('counted');
  await own
    .delete('cloud_deployments')
    .where('id', 'in', (eb) => eb.selectFrom(counted).select('counted.id').where('counted.place', '>', mostOfProject))
    .execute();
}

export const deleteLastSeen = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).delete('cloud_deployments').where('id', '=', id).execute();

/** Deletes all, for a removed link. */
export const deleteAllLastSeen = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId).delete('cloud_deployments').execute();

export const deleteLastSeenOfProject = (sql: Sql, organizationId: string, projectId: string) =>
  tenant(sql, organizationId).delete('cloud_deployments').where('projectId', '=', projectId).execute();
