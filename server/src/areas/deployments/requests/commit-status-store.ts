import type { Sql } from '../../../db/database.ts';
import type { CommitStatusTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';
import type { GitHostSource } from '../model/model.ts';
import type { DeploymentRow } from '../model/store.ts';

/** Starts reporting the deployment's status to the git host. */
export const insertStatus = (sql: Sql, row: DeploymentRow, { owner, repo }: GitHostSource, slug: string) =>
  tenant(sql, row.organizationId)
    .insert('commit_statuses', {
      deploymentId: row.id,
      owner,
      name: repo,
      context: row.environment === 'production' ? `mooring/${slug}` : `mooring/${slug}/${row.environment}`,
      told: null,
      attempts: 0,
      nextAt: 0,
    })
    .execute();

export type UnreportedStatus = CommitStatusTable &
  Pick<DeploymentRow, 'status' | 'commitSha' | 'error' | 'projectId'> & { deploymentId: string };

/** Statuses not reported yet: deployments that have started or finished. */
export const selectUnreportedStatuses = (sql: Sql, now: number, limit: number): Promise<UnreportedStatus[]> =>
  sql
    .selectFrom('commit_statuses')
    .innerJoin('deployments', 'deployments.id', 'commit_statuses.deploymentId')
    .selectAll('commit_statuses')
    .select(['deployments.status', 'deployments.commitSha', 'deployments.error', 'deployments.projectId'])
    .where('commit_statuses.nextAt', '<=', now)
    .where((eb) =>
      eb.or([
        eb('deployments.status', 'in', ['ready', 'failed', 'cancelled', 'rejected']),
        eb.and([
          eb('commit_statuses.told', 'is', null),
          eb('deployments.status', 'in', ['building', 'deploying', 'partial_failure']),
          eb('deployments.commitSha', 'is not', null),
        ]),
      ]),
    )
    .orderBy('commit_statuses.nextAt')
    .orderBy('commit_statuses.deploymentId')
    .limit(limit)
    .execute();

/** Returns the reported status of a deployment while more is to be reported. */
export const selectStatus = (sql: Sql, { organizationId, id }: Pick<DeploymentRow, 'organizationId' | 'id'>) =>
  tenant(sql, organizationId)
    .select('commit_statuses')
    .select(['told', 'attempts'])
    .where('deploymentId', '=', id)
    .executeTakeFirst();

/** Claims the status for one of several replicas until `until`. */
export async function claimUnsentStatus(
  sql: Sql,
  { organizationId, deploymentId, nextAt, attempts }: UnreportedStatus,
  until: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('commit_statuses', { nextAt: until, attempts: attempts + 1 })
    .where('deploymentId', '=', deploymentId)
    .where('nextAt', '=', nextAt)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const updateStatus = (
  sql: Sql,
  { organizationId, deploymentId }: UnreportedStatus,
  change: Partial<CommitStatusTable>,
) => tenant(sql, organizationId).update('commit_statuses', change).where('deploymentId', '=', deploymentId).execute();

/** Ends the reporting. */
export const deleteStatus = (sql: Sql, { organizationId, deploymentId }: UnreportedStatus) =>
  tenant(sql, organizationId).delete('commit_statuses').where('deploymentId', '=', deploymentId).execute();
