import type { Sql } from '../../../db/database.ts';
import type { CommitStatusTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';
import type { GitHostSource } from '../model/model.ts';
import type { DeploymentRow } from '../model/store.ts';

/** From now on the host is told what becomes of the deployment. */
export const insertStatus = (sql: Sql, row: DeploymentRow, { owner, repo }: GitHostSource, slug: string) =>
  tenant(sql, row.organization_id)
    .insert('commit_statuses', {
      deployment_id: row.id,
      owner,
      name: repo,
      context: row.environment === 'production' ? `mooring/${slug}` : `mooring/${slug}/${row.environment}`,
      told: null,
      attempts: 0,
      next_at: 0,
    })
    .execute();

export type Untold = CommitStatusTable &
  Pick<DeploymentRow, 'status' | 'commit_sha' | 'error' | 'project_id'> & { deployment_id: string };

/** What the host does not know yet: that one has begun, or how it ended. */
export const selectUntold = (sql: Sql, now: number, limit: number): Promise<Untold[]> =>
  sql
    .selectFrom('commit_statuses')
    .innerJoin('deployments', 'deployments.id', 'commit_statuses.deployment_id')
    .selectAll('commit_statuses')
    .select(['deployments.status', 'deployments.commit_sha', 'deployments.error', 'deployments.project_id'])
    .where('commit_statuses.next_at', '<=', now)
    .where((eb) =>
      eb.or([
        eb('deployments.status', 'in', ['ready', 'failed', 'cancelled', 'rejected']),
        eb.and([
          eb('commit_statuses.told', 'is', null),
          eb('deployments.status', 'in', ['building', 'deploying', 'partial_failure']),
          eb('deployments.commit_sha', 'is not', null),
        ]),
      ]),
    )
    .orderBy('commit_statuses.next_at')
    .orderBy('commit_statuses.deployment_id')
    .limit(limit)
    .execute();

/** What the host knows of one, as long as there is something to tell. */
export const selectStatus = (sql: Sql, { organization_id, id }: Pick<DeploymentRow, 'organization_id' | 'id'>) =>
  tenant(sql, organization_id)
    .select('commit_statuses')
    .select(['told', 'attempts'])
    .where('deployment_id', '=', id)
    .executeTakeFirst();

/** Only one of several replicas gets it, until `until`. */
export async function takeUntold(
  sql: Sql,
  { organization_id, deployment_id, next_at, attempts }: Untold,
  until: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organization_id)
    .update('commit_statuses', { next_at: until, attempts: attempts + 1 })
    .where('deployment_id', '=', deployment_id)
    .where('next_at', '=', next_at)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const updateStatus = (
  sql: Sql,
  { organization_id, deployment_id }: Untold,
  change: Partial<CommitStatusTable>,
) =>
  tenant(sql, organization_id).update('commit_statuses', change).where('deployment_id', '=', deployment_id).execute();

/** There is nothing more to tell. */
export const deleteStatus = (sql: Sql, { organization_id, deployment_id }: Untold) =>
  tenant(sql, organization_id).delete('commit_statuses').where('deployment_id', '=', deployment_id).execute();
