import type { DeploymentStepTable, DeploymentTable, Tables } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';
import type { Sql, Trx } from '../../../db/database.ts';
import { isDeletionPending } from './background-store.ts';
import { isOn, type Machine } from './queue.ts';

export type DeploymentRow = DeploymentTable;
export type StepRow = DeploymentStepTable;

export const insertDeployment = (sql: Sql, { organizationId, ...row }: DeploymentTable) =>
  tenant(sql, organizationId).insert('deployments', row).execute();

export const selectDeployment = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).select('deployments').selectAll().where('id', '=', id).executeTakeFirst();

/** The same, unless it is being deleted. */
export const selectShown = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId)
    .select('deployments')
    .selectAll()
    .where('id', '=', id)
    .where((eb) => eb.not(isDeletionPending(eb)))
    .executeTakeFirst();

export type ListFilter = {
  projectIds: 'all' | string[];
  projectId?: string | undefined;
  cursor?: string | undefined;
  limit: number;
  status?: DeploymentTable['status'] | undefined;
  /** Only the newest one of each project. */
  latest?: boolean | undefined;
  environment?: string | undefined;
};

export const selectDeployments = (sql: Sql, organizationId: string, filter: ListFilter) =>
  selectPage(sql, organizationId, 'deployments', filter);

type Listed = Pick<Tables, 'deployments' | 'cloud_deployments'>;

/** Newest first: those of this instance, or those of the cloud as they were seen last. */
export function selectPage<T extends keyof Listed>(
  sql: Sql,
  organizationId: string,
  table: T,
  filter: ListFilter,
): Promise<Listed[T][]> {
  // What is filtered by is called the same in both.
  let query = tenant(sql, organizationId)
    .select(table as 'deployments')
    .selectAll();
  if (table === 'deployments') query = query.where((eb) => eb.not(isDeletionPending(eb)));
  // Of the cloud's deployments it is in the summary alone.
  if (table === 'deployments' && filter.environment) query = query.where('environment', '=', filter.environment);
  if (filter.projectId) query = query.where('projectId', '=', filter.projectId);
  if (filter.projectIds !== 'all')
    query = query.where('projectId', 'in', filter.projectIds.length ? filter.projectIds : ['']);
  if (filter.status) query = query.where('status', '=', filter.status);
  if (filter.latest) {
    const newest = tenant(sql, organizationId)
      .select(table as 'deployments')
      .select(({ fn }) => fn.max('id').as('id'))
      .groupBy('projectId');
    query = query.where('id', 'in', newest);
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

export const selectActive = (sql: Sql, organizationId: string, projectId: string, environment: string) =>
  tenant(sql, organizationId)
    .select('deployments')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('environment', '=', environment)
    .where('active', '=', 1)
    .executeTakeFirst();

/** What serves of a project, in each environment. */
export const selectActives = (sql: Sql, organizationId: string, projectId: string): Promise<DeploymentRow[]> =>
  tenant(sql, organizationId)
    .select('deployments')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('active', '=', 1)
    .execute();

/** What serves in the environment, or may do so soon. */
export const selectUsers = (
  sql: Sql,
  of: Pick<DeploymentRow, 'organizationId' | 'projectId' | 'environment'>,
): Promise<DeploymentRow[]> =>
  tenant(sql, of.organizationId)
    .select('deployments')
    .selectAll()
    .where('projectId', '=', of.projectId)
    .where('environment', '=', of.environment)
    .where((eb) => eb.or([eb('active', '=', 1), eb('status', 'in', ['queued', ...underWay])]))
    .execute();

/** Whether something of the project serves, or may do so soon. */
export async function isAnythingLeft(sql: Sql, organizationId: string, projectId: string): Promise<boolean> {
  const found = await tenant(sql, organizationId)
    .select('deployments')
    .select('id')
    .where('projectId', '=', projectId)
    .where((eb) => eb.or([eb('active', '=', 1), eb('status', 'in', ['queued', ...underWay])]))
    .executeTakeFirst();
  return found !== undefined;
}

/** Whether something of the project is being made. */
export async function isAnythingUnderWay(sql: Sql, organizationId: string, projectId: string): Promise<boolean> {
  const found = await tenant(sql, organizationId)
    .select('deployments')
    .select('id')
    .where('projectId', '=', projectId)
    .where('status', 'in', ['queued', ...underWay, 'partial_failure'])
    .executeTakeFirst();
  return found !== undefined;
}

export const updateDeployment = (sql: Sql, organizationId: string, id: string, change: Partial<DeploymentTable>) =>
  tenant(sql, organizationId).update('deployments', change).where('id', '=', id).executeTakeFirst();

/** Only while it is in one of `statuses`; says whether it was. */
export async function updateIn(
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

/** Only while it works and has not begun to switch over; says whether it was in time. */
export async function requestCancel(sql: Sql, organizationId: string, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('deployments', { cancelRequestedAt: Date.now() })
    .where('id', '=', id)
    .where('status', 'in', ['building', 'deploying'])
    .where('switching', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Nothing of the project serves any more: from here on nobody starts what ends of it again. */
export const endAllActive = (sql: Sql, organizationId: string, projectId: string) =>
  tenant(sql, organizationId)
    .update('deployments', { active: 0 })
    .where('projectId', '=', projectId)
    .where('active', '=', 1)
    .execute();

export const deleteDeployment = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).delete('deployments').where('id', '=', id).execute();

/** The release that served until now makes room, in the transaction in which another one takes its place. */
export const makeRoom = (trx: Trx, { id, organizationId, projectId, environment }: DeploymentRow) =>
  tenant(trx, organizationId)
    .update('deployments', { active: 0 })
    .where('projectId', '=', projectId)
    .where('environment', '=', environment)
    .where('active', '=', 1)
    .where('id', '!=', id)
    .execute();

// What is looked after on a machine, whoever's it is.

export const selectActiveOn = (sql: Sql, on: Machine) =>
  sql.selectFrom('deployments').selectAll().where('active', '=', 1).where(isOn(on)).orderBy('id').execute();

/** Where something of the project is active in this environment. */
export const selectMachinesOf = (sql: Sql, projectId: string, environment: string) =>
  sql
    .selectFrom('deployments')
    .select(['organizationId', 'serverId'])
    .where('projectId', '=', projectId)
    .where('environment', '=', environment)
    .where('active', '=', 1)
    .distinct()
    .execute();

/** Servers on which something is active, kept or under way. */
export const selectServersInUse = (sql: Sql) =>
  sql
    .selectFrom('deployments')
    .select(['organizationId', 'serverId'])
    .where('serverId', 'is not', null)
    .where((eb) => eb.or([eb('active', '=', 1), eb('artifactKept', '=', 1), eb('status', 'in', underWay)]))
    .distinct()
    .execute();

export const underWay: readonly DeploymentTable['status'][] = ['building', 'deploying', 'partial_failure'];

/** Whether some deployment of the project and environment is under way. */
export async function isUnderWay(
  sql: Sql,
  projectId: string,
  environment: string,
  statuses = underWay,
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

/** Whether a worker changes what a deployment stands for, be it another one of the same project that replaces it. */
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
