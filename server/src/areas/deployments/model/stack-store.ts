import { sql as raw } from 'kysely';
import { isKeptOnMachine } from '../../../db/kept-deployments.ts';
import type { DeploymentTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';
import { type Db, inTransaction, type Sql } from '../../../db/database.ts';
import { selectHolds } from './hold-store.ts';
import { isAppRow, serviceStatesOf } from './stack.ts';
import { isOnMachine, type MaintainedMachine, nextFence } from './queue.ts';
import { type DeploymentRow, isUnderWay, selectDeployment, underWayStatuses } from './store.ts';

/** Replaces the service states unless another write has changed them; returns whether it did. */
export async function updateServices(
  sql: Sql,
  { organizationId, id, services }: Pick<DeploymentTable, 'organizationId' | 'id' | 'services'>,
  now: string,
): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('deployments', { services: now })
    .where('id', '=', id)
    .where('services', '=', services)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Updates the deployment only while it waits for a decision; returns whether it did. */
export async function updatePending(
  sql: Sql,
  organizationId: string,
  id: string,
  change: Partial<DeploymentTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('deployments', change)
    .where('id', '=', id)
    .where('status', '=', 'partial_failure')
    .where('decision', '=', 'pending')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Returns the service names of a project's active releases, by environment; apps are left out. */
export async function selectServicesOf(sql: Sql, organizationId: string, projectId: string) {
  const rows = await tenant(sql, organizationId)
    .select('deployments')
    .select(['environment', 'services'])
    .where('projectId', '=', projectId)
    .where('active', '=', 1)
    .where('stack', 'is not', null)
    .execute();
  const namesOf = (row: { services: string | null }) =>
    serviceStatesOf(row).flatMap(({ name, status }) => (status === 'removed' ? [] : [name]));
  return new Map(rows.filter((row) => !isAppRow(row)).map((row) => [row.environment, namesOf(row)]));
}

/** Returns the deployment that waits for a decision, if any. */
export const selectPending = (sql: Sql, organizationId: string, projectId: string, environment: string) =>
  tenant(sql, organizationId)
    .select('deployments')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('environment', '=', environment)
    .where('status', '=', 'partial_failure')
    .executeTakeFirst();

/** Stacks on this machine that serve, wait for a decision or are under way, with the settings of their projects. */
export const selectStacksOn = (sql: Sql, on: MaintainedMachine) =>
  sql
    .selectFrom('deployments')
    .innerJoin('projects', 'projects.id', 'deployments.projectId')
    .selectAll('deployments')
    .select('projects.settings')
    .where('deployments.stack', 'is not', null)
    .where((eb) => eb.or([eb('deployments.active', '=', 1), eb('deployments.status', 'in', underWayStatuses)]))
    .where(isKeptOnMachine)
    .where(isOnMachine(on))
    .orderBy('deployments.id')
    .execute();

/** Returns the stacks among these ids that have finished or wait for a decision. */
export async function selectFinishedStacks(sql: Sql, ids: string[]) {
  if (!ids.length) return [];
  return sql
    .selectFrom('deployments')
    .select(['id', 'organizationId', 'projectId', 'environment'])
    .where('id', 'in', ids)
    .where('stack', 'is not', null)
    .where('status', 'not in', ['queued', 'building', 'deploying'])
    .execute();
}

/** Service states of all deployments that may still need their images; of those on a server, if it is given. */
export const selectStackServices = (sql: Sql, server: { id: string } | null = null) =>
  sql
    .selectFrom('deployments')
    .select(['id', 'services', 'artifactKept', 'active', 'status'])
    .where('stack', 'is not', null)
    .where((eb) => eb.or([isKeptOnMachine, isUnfinished]))
    .$if(server !== null, (some) => some.where((eb) => eb.or([eb('serverId', '=', server!.id), isUnfinished])))
    .execute();

/** Must match the condition of the index `deployments_unfinished`. */
const isUnfinished = raw<boolean>`(deployments.status in ('queued', 'building', 'deploying'))`;

/** Service states that refer to any of these images, however old. */
export async function selectByServiceImage(sql: Sql, imageIds: readonly string[]) {
  const found = imageIds.map((id) =>
    sql
      .selectFrom('deployments')
      .select(['id', 'services', 'artifactKept', 'active', 'status'])
      .where('stack', 'is not', null)
      .where('services', 'like', `%"${id}"%`)
      .execute(),
  );
  return (await Promise.all(found)).flat();
}

/** Takes a fence for routing the edge to a stack's services; undefined if they have changed, or may be about to. */
export const fenceForStack = (db: Db, deployment: DeploymentRow): Promise<number | undefined> =>
  inTransaction(db, async (trx) => {
    const now = await selectDeployment(trx, deployment.organizationId, deployment.id);
    if (!now || now.leaseOwner !== null || now.fence !== deployment.fence) return undefined;
    if (now.services !== deployment.services) return undefined;
    if ((await selectHolds(trx)).some(({ deploymentId }) => deploymentId === now.id)) return undefined;
    if (now.active !== 1 && now.status !== 'partial_failure') return undefined;
    const { projectId, environment } = now;
    if (now.active === 1 && (await isUnderWay(trx, projectId, environment))) return undefined;
    return nextFence(trx, now);
  });

/** Apps deployed by 0.1.0 that may still be needed. */
export const selectAppsOf010 = (sql: Sql) =>
  sql
    .selectFrom('deployments')
    .selectAll()
    .where('stack', 'is', null)
    .where((eb) =>
      eb.or([eb('active', '=', 1), eb('artifactKept', '=', 1), eb('status', 'in', ['queued', ...underWayStatuses])]),
    )
    .execute();

/** Sets the stack unless another replica has set it already. */
export const setServices = (
  sql: Sql,
  { organizationId, id }: Pick<DeploymentTable, 'organizationId' | 'id'>,
  change: Pick<DeploymentTable, 'stack' | 'services'>,
) =>
  tenant(sql, organizationId).update('deployments', change).where('id', '=', id).where('stack', 'is', null).execute();
