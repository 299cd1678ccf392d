import { isKeptOnMachine } from '../../../db/kept-deployments.ts';
import type { DeploymentStepTable, DeploymentTable, Tables } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';
import type { Sql, Trx } from '../../../db/database.ts';
import { isDeletionPending } from './background-store.ts';
import { isOnMachine, type MaintainedMachine } from './queue.ts';

export type DeploymentRow = DeploymentTable;
export type StepRow = DeploymentStepTable;

export const insertDeployment = (sql: Sql, { organizationId, ...row }: DeploymentTable) =>
  tenant(sql, organizationId).insert('deployments', row).execute();

export const selectDeployment = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).select('deployments').selectAll().where('id', '=', id).executeTakeFirst();

/** Like `selectDeployment`, without deployments that are being deleted. */
export const selectShown = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId)
    .select('deployments')
    .selectAll()
    .where('id', '=', id)
    .where((eb) => eb.not(isDeletionPending(eb)))
    .executeTakeFirst();

export type DeploymentListFilter = {
  projectIds: 'all' | string[];
  projectId?: string | undefined;
  cursor?: string | undefined;
  limit: number;
  status?: DeploymentTable['status'] | undefined;
  /** Only the newest deployment of each project, or of each project in the environment. */
  latest?: boolean | undefined;
  /** Only releases that serve requests. */
  active?: boolean | undefined;
  environment?: string | undefined;
};

export const selectDeployments = (sql: Sql, organizationId: string, filter: DeploymentListFilter) =>
  selectPage(sql, organizationId, 'deployments', filter);

type Listed = Pick<Tables, 'deployments' | 'cloud_deployments'>;

/** A page of deployments, newest first: of this instance, or the last known state of the cloud's. */
export function selectPage<T extends keyof Listed>(
  sql: Sql,
  organizationId: string,
  table: T,
  filter: DeploymentListFilter,
): Promise<Listed[T][]> {
  // Both tables use the same names for the filtered columns.
  const inEnvironment = () => {
    const all = tenant(sql, organizationId).select(table as 'deployments');
    // The cloud's deployments have these columns only in their summary.
    if (table !== 'deployments') return all;
    const shown = all.where((eb) => eb.not(isDeletionPending(eb)));
    return filter.environment ? shown.where('environment', '=', filter.environment) : shown;
  };
  let query = inEnvironment().selectAll();
  if (table === 'deployments' && filter.active) query = query.where('active', '=', 1);
  if (filter.projectId) query = query.where('projectId', '=', filter.projectId);
  if (filter.projectIds !== 'all')
    query = query.where('projectId', 'in', filter.projectIds.length ? filter.projectIds : ['']);
  if (filter.status) query = query.where('status', '=', filter.status);
  if (filter.latest) {
    const newest = inEnvironment().select(({ fn }) => fn.max('id').as('id'));
    query = query.where('id', 'in', newest.groupBy('projectId'));
  }
  if (filter.cursor) query = query.where('id', '<', filter.cursor);
  return query.orderBy('id', 'desc').limit(filter.limit).execute() as unknown as Promise<Listed[T][]>;
}

export const selectOfProject = (sql: Sql, organizationId: string, projectId: string) =>
  tenant(sql, organizationId)
    .select('deployments')
    .selectAll()
    .where('projectId', '=', projectId)
    .orderBy('id', 'desc')
    .execute();

/** Returns the `detect` results of the deployments whose release command ran since this artifact was built. */
export const selectReleasedSince = (
  sql: Sql,
  { id, artifactId, organizationId, projectId, environment }: DeploymentRow,
) =>
  tenant(sql, organizationId)
    .select('deployments')
    .innerJoin('deployment_steps as released', 'released.deploymentId', 'deployments.id')
    .innerJoin('deployment_steps as detected', 'detected.deploymentId', 'deployments.id')
    .select(['detected.name', 'detected.result'])
    .where('deployments.projectId', '=', projectId)
    .where('deployments.environment', '=', environment)
    .where('deployments.id', '>', artifactId)
    .where('deployments.id', '!=', id)
    .where('released.name', '=', 'release')
    .where('released.status', '=', 'done')
    .where('detected.name', '=', 'detect')
    .orderBy('deployments.id')
    .execute();

export const selectActive = (sql: Sql, organizationId: string, projectId: string, environment: string) =>
  tenant(sql, organizationId)
    .select('deployments')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('environment', '=', environment)
    .where('active', '=', 1)
    .executeTakeFirst();

/** Active deployments of a project in all environments. */
export const selectActives = (sql: Sql, organizationId: string, projectId: string): Promise<DeploymentRow[]> =>
  tenant(sql, organizationId)
    .select('deployments')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('active', '=', 1)
    .execute();

/** Deployments of the environment that serve, are queued or are under way. */
export const selectLiveDeployments = (
  sql: Sql,
  of: Pick<DeploymentRow, 'organizationId' | 'projectId' | 'environment'>,
): Promise<DeploymentRow[]> =>
  tenant(sql, of.organizationId)
    .select('deployments')
    .selectAll()
    .where('projectId', '=', of.projectId)
    .where('environment', '=', of.environment)
    .where((eb) => eb.or([eb('active', '=', 1), eb('status', 'in', ['queued', ...underWayStatuses])]))
    .execute();

/** Whether any deployment of the project serves, is queued or is under way. */
export async function hasLiveDeployments(sql: Sql, organizationId: string, projectId: string): Promise<boolean> {
  const found = await tenant(sql, organizationId)
    .select('deployments')
    .select('id')
    .where('projectId', '=', projectId)
    .where((eb) => eb.or([eb('active', '=', 1), eb('status', 'in', ['queued', ...underWayStatuses])]))
    .executeTakeFirst();
  return found !== undefined;
}

/** Whether any deployment of the project is queued or under way. */
export async function hasUnfinishedDeployments(sql: Sql, organizationId: string, projectId: string): Promise<boolean> {
  const found = await tenant(sql, organizationId)
    .select('deployments')
    .select('id')
    .where('projectId', '=', projectId)
    .where('status', 'in', ['queued', ...underWayStatuses, 'partial_failure'])
    .executeTakeFirst();
  return found !== undefined;
}

export const updateDeployment = (sql: Sql, organizationId: string, id: string, change: Partial<DeploymentTable>) =>
  tenant(sql, organizationId).update('deployments', change).where('id', '=', id).executeTakeFirst();

/** Updates the deployment only while it is in one of `statuses`; returns whether it did. */
export async function updateIfStatus(
  sql: Sql,
  organizationId: string,
  id: string,
  statuses: DeploymentTable['status'][],
  change: Partial<DeploymentTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('deployments', change)
    .where('id', '=', id)
    .where('status', 'in', statuses)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Requests a cancel only while the deployment runs and has not started to switch over; returns whether it was in time.
 */
export async function requestCancel(sql: Sql, organizationId: string, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('deployments', { cancelRequestedAt: Date.now() })
    .where('id', '=', id)
    .where('status', 'in', ['building', 'deploying'])
    .where('switching', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deactivates all releases of the project, so that upkeep does not restart them. */
export const endAllActive = (sql: Sql, organizationId: string, projectId: string) =>
  tenant(sql, organizationId)
    .update('deployments', { active: 0 })
    .where('projectId', '=', projectId)
    .where('active', '=', 1)
    .execute();

export const deleteDeployment = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).delete('deployments').where('id', '=', id).execute();

/** Deactivates the previous release, in the transaction that activates its successor. */
export const deactivatePreviousRelease = (trx: Trx, { id, organizationId, projectId, environment }: DeploymentRow) =>
  tenant(trx, organizationId)
    .update('deployments', { active: 0 })
    .where('projectId', '=', projectId)
    .where('environment', '=', environment)
    .where('active', '=', 1)
    .where('id', '!=', id)
    .execute();

// Queries across organizations, for upkeep of a machine.

export const selectActiveOn = (sql: Sql, on: MaintainedMachine) =>
  sql
    .selectFrom('deployments')
    .selectAll()
    .where('active', '=', 1)
    .where(isKeptOnMachine)
    .where(isOnMachine(on))
    .orderBy('id')
    .execute();

/** Machines on which the project is active in this environment. */
export const selectMachinesOf = (sql: Sql, projectId: string, environment: string) =>
  sql
    .selectFrom('deployments')
    .select(['organizationId', 'serverId'])
    .where('projectId', '=', projectId)
    .where('environment', '=', environment)
    .where('active', '=', 1)
    .distinct()
    .execute();

/** Servers with an active deployment, a kept artifact or a deployment under way. */
export const selectServersInUse = (sql: Sql) =>
  sql
    .selectFrom('deployments')
    .select(['organizationId', 'serverId'])
    .where('serverId', 'is not', null)
    .where(isKeptOnMachine)
    .distinct()
    .execute();

export const isServerInUse = async (sql: Sql, serverId: string): Promise<boolean> =>
  (await sql
    .selectFrom('deployments')
    .select('id')
    .where('serverId', '=', serverId)
    .where(isKeptOnMachine)
    .limit(1)
    .executeTakeFirst()) !== undefined;

export const underWayStatuses: readonly DeploymentTable['status'][] = ['building', 'deploying', 'partial_failure'];

export async function isUnderWay(
  sql: Sql,
  projectId: string,
  environment: string,
  statuses = underWayStatuses,
): Promise<boolean> {
  const found = await sql
    .selectFrom('deployments')
    .select('id')
    .where('projectId', '=', projectId)
    .where('environment', '=', environment)
    .where('status', 'in', statuses)
    .executeTakeFirst();
  return found !== undefined;
}

/** Whether any deployment rolled back to this one. */
export const hasRollbackTo = async (sql: Sql, organizationId: string, id: string): Promise<boolean> =>
  (await tenant(sql, organizationId)
    .select('deployments')
    .select('id')
    .where('rollbackOf', '=', id)
    .executeTakeFirst()) !== undefined;

/** Whether a worker is changing this deployment, or another one of the same environment that replaces it. */
export async function isBeingChanged(sql: Sql, id: string): Promise<boolean> {
  const found = await sql
    .selectFrom('deployments')
    .select(['projectId', 'environment'])
    .where('id', '=', id)
    .executeTakeFirst();
  return found !== undefined && isUnderWay(sql, found.projectId, found.environment, ['building', 'deploying']);
}

export async function selectByArtifact(sql: Sql, artifactIds: string[]) {
  if (!artifactIds.length) return [];
  return sql
    .selectFrom('deployments')
    .select(['artifactId', 'artifactKept', 'status'])
    .where('artifactId', 'in', artifactIds)
    .execute();
}

export async function selectByDigest(sql: Sql, digests: string[]) {
  if (!digests.length) return [];
  return sql
    .selectFrom('deployments')
    .select(['imageDigest', 'artifactKept', 'status'])
    .where('imageDigest', 'in', digests)
    .execute();
}

export async function selectStatuses(sql: Sql, ids: string[]) {
  if (!ids.length) return [];
  return sql.selectFrom('deployments').select(['id', 'status']).where('id', 'in', ids).execute();
}
