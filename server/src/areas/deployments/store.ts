import type { ExpressionBuilder } from 'kysely';
import { type Db, type DatabaseKind, inTransaction, isUniqueViolation, type Sql, type Trx } from '../../db/database.ts';
import { databaseNow } from '../../db/clock.ts';
import type { DeploymentStepTable, DeploymentTable, Tables } from '../../db/tables.ts';
import { tenant } from '../../db/tenant.ts';

export type DeploymentRow = DeploymentTable;
export type StepRow = DeploymentStepTable;

export const insertDeployment = (sql: Sql, { organization_id, ...row }: DeploymentTable) =>
  tenant(sql, organization_id).insert('deployments', row).execute();

export const selectDeployment = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).select('deployments').selectAll().where('id', '=', id).executeTakeFirst();

export type ListFilter = {
  projectIds: 'all' | string[];
  projectId?: string | undefined;
  cursor?: string | undefined;
  limit: number;
  status?: string | undefined;
};

/** Newest first. */
export function selectDeployments(sql: Sql, organizationId: string, filter: ListFilter) {
  let query = tenant(sql, organizationId).select('deployments').selectAll();
  if (filter.projectId) query = query.where('project_id', '=', filter.projectId);
  if (filter.projectIds !== 'all')
    query = query.where('project_id', 'in', filter.projectIds.length ? filter.projectIds : ['']);
  if (filter.status) query = query.where('status', '=', filter.status);
  if (filter.cursor) query = query.where('id', '<', filter.cursor);
  return query.orderBy('id', 'desc').limit(filter.limit).execute();
}

export const selectOfProject = (sql: Sql, organizationId: string, projectId: string) =>
  tenant(sql, organizationId)
    .select('deployments')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('id', 'desc')
    .execute();

export const selectActive = (sql: Sql, organizationId: string, projectId: string, environment: string) =>
  tenant(sql, organizationId)
    .select('deployments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('environment', '=', environment)
    .where('active', '=', 1)
    .executeTakeFirst();

export const updateDeployment = (sql: Sql, organizationId: string, id: string, change: Partial<DeploymentTable>) =>
  tenant(sql, organizationId).update('deployments', change).where('id', '=', id).executeTakeFirst();

/** Only while it is in one of `statuses`; says whether it was. */
export async function updateIn(
  sql: Sql,
  organizationId: string,
  id: string,
  statuses: string[],
  change: Partial<DeploymentTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('deployments', change)
    .where('id', '=', id)
    .where('status', 'in', statuses)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** What is known of its services, unless somebody else has changed that meanwhile; says whether nobody has. */
export async function updateServices(
  sql: Sql,
  { organization_id, id, services }: Pick<DeploymentTable, 'organization_id' | 'id' | 'services'>,
  now: string,
): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organization_id)
    .update('deployments', { services: now })
    .where('id', '=', id)
    .where('services', '=', services)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Only while it waits for a decision; says whether it did. */
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

/** The deployment that waits for a decision, if one does. */
export const selectPending = (sql: Sql, organizationId: string, projectId: string, environment: string) =>
  tenant(sql, organizationId)
    .select('deployments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('environment', '=', environment)
    .where('status', '=', 'partial_failure')
    .executeTakeFirst();

/** Only while it works and has not begun to switch over; says whether it was in time. */
export async function requestCancel(sql: Sql, organizationId: string, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('deployments', { cancel_requested_at: Date.now() })
    .where('id', '=', id)
    .where('status', 'in', ['building', 'deploying'])
    .where('switching', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const deleteDeployment = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).delete('deployments').where('id', '=', id).execute();

// What a worker does to the deployment that it holds: bound by the lease's fence instead of a caller's organization.

export const selectSteps = (sql: Sql, deploymentId: string) =>
  sql
    .selectFrom('deployment_steps')
    .selectAll()
    .where('deployment_id', '=', deploymentId)
    .orderBy('position')
    .execute();

export const insertSteps = (sql: Sql, deploymentId: string, names: string[], first = 0) =>
  sql
    .insertInto('deployment_steps')
    .values(
      names.map((name, index) => {
        return {
          deployment_id: deploymentId,
          position: first + index,
          name,
          status: 'waiting',
          attempt: 0,
          started_at: null,
          finished_at: null,
          result: null,
        };
      }),
    )
    .execute();

/** Those that have not begun make room for others. */
export async function replaceWaitingSteps(trx: Trx, deploymentId: string, names: string[]): Promise<void> {
  await trx
    .deleteFrom('deployment_steps')
    .where('deployment_id', '=', deploymentId)
    .where('status', '=', 'waiting')
    .execute();
  const last = (await selectSteps(trx, deploymentId)).at(-1)?.position ?? -1;
  await insertSteps(trx, deploymentId, names, last + 1);
}

export const deleteSteps = (sql: Sql, deploymentId: string) =>
  sql.deleteFrom('deployment_steps').where('deployment_id', '=', deploymentId).execute();

export const updateStep = (sql: Sql, deploymentId: string, name: string, change: Partial<DeploymentStepTable>) =>
  sql
    .updateTable('deployment_steps')
    .set(change)
    .where('deployment_id', '=', deploymentId)
    .where('name', '=', name)
    .execute();

/** As if these had not been done yet; attempts go on counting. */
export const resetSteps = (sql: Sql, deploymentId: string, names: readonly string[]) =>
  sql
    .updateTable('deployment_steps')
    .set({ status: 'waiting', result: null, started_at: null, finished_at: null })
    .where('deployment_id', '=', deploymentId)
    .where('name', 'in', names)
    .execute();

/** Writes to the deployment under the fence; false when another worker has it. */
export async function updateHeld(
  sql: Sql,
  id: string,
  fence: number,
  change: Partial<DeploymentTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('deployments')
    .set(change)
    .where('id', '=', id)
    .where('fence', '=', fence)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Lets go of it, unless somebody has decided about it meanwhile. */
export async function releaseLease(sql: Sql, id: string, fence: number, decision: string | null): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('deployments')
    .set({ lease_owner: null, lease_until: null })
    .where('id', '=', id)
    .where('fence', '=', fence)
    .where('decision', decision === null ? 'is' : '=', decision)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const leaseMs = 15_000;

/** Takes a deployment to work on: first one whose worker died, then the oldest in the queue whose project is free; only one
 * that is built already where there is no place to build. */
export async function claimNext(
  db: Db,
  kind: DatabaseKind,
  owner: string,
  held: string[],
  mayBuild = true,
): Promise<DeploymentRow | undefined> {
  const claim = inTransaction(db, async (trx) => {
    const next = (await abandoned(trx, kind, owner, held, mayBuild)) ?? (await nextInQueue(trx, kind, owner, mayBuild));
    return next && take(trx, kind, next, owner);
  });
  return claim.catch((error: unknown) => {
    // Another replica was faster with the same project.
    if (isUniqueViolation(error)) return undefined;
    throw error;
  });
}

const mayRunOn = (owner: string) => (eb: ExpressionBuilder<Tables, 'deployments'>) =>
  eb.or([eb('deployments.machine', 'is', null), eb('deployments.machine', '=', owner)]);

/** It was built by now, or goes back to what was built before. */
const needsNoBuild = (eb: ExpressionBuilder<Tables, 'deployments'>) =>
  eb.or([
    eb('deployments.status', 'not in', ['queued', 'building']),
    eb.and([eb('deployments.rollback_of', 'is not', null), eb('deployments.artifact_kept', '=', 1)]),
  ]);

function abandoned(trx: Trx, kind: DatabaseKind, owner: string, held: string[], mayBuild: boolean) {
  const query = trx
    .selectFrom('deployments')
    .selectAll()
    .where('lease_owner', 'is not', null)
    .where(mayRunOn(owner))
    .where('id', 'not in', held.length ? held : [''])
    .where((eb) => eb.or([eb('lease_until', '<', databaseNow(kind)), eb('lease_owner', '=', owner)]))
    .$if(!mayBuild, (some) => some.where(needsNoBuild))
    .orderBy('id')
    .limit(1);
  return (kind === 'postgres' ? query.forUpdate().skipLocked() : query).executeTakeFirst();
}

function nextInQueue(trx: Trx, kind: DatabaseKind, owner: string, mayBuild: boolean) {
  const query = trx
    .selectFrom('deployments')
    .selectAll('deployments')
    .where('deployments.status', '=', 'queued')
    .where('deployments.held', '=', 0)
    .where(mayRunOn(owner))
    .$if(!mayBuild, (some) => some.where(needsNoBuild))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('deployments as other')
            .select('other.id')
            .whereRef('other.project_id', '=', 'deployments.project_id')
            .whereRef('other.environment', '=', 'deployments.environment')
            .where((other) =>
              other.or([
                other('other.status', 'in', ['building', 'deploying', 'partial_failure']),
                // An older one comes first, also while another replica is just about to take it.
                other.and([
                  other('other.status', '=', 'queued'),
                  other('other.held', '=', 0),
                  other('other.id', '<', eb.ref('deployments.id')),
                ]),
              ]),
            ),
        ),
      ),
    )
    .orderBy('deployments.id')
    .limit(1);
  return (kind === 'postgres' ? query.forUpdate().skipLocked() : query).executeTakeFirst();
}

async function take(trx: Trx, kind: DatabaseKind, next: DeploymentRow, owner: string): Promise<DeploymentRow> {
  const begun = next.status === 'queued' ? { status: 'building', started_at: Date.now() } : {};
  return trx
    .updateTable('deployments')
    .set({ ...begun, fence: await nextFence(trx, next), lease_owner: owner })
    .set((eb) => ({ lease_until: eb(databaseNow(kind), '+', leaseMs) }))
    .where('id', '=', next.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The fence is the project's, not the deployment's: the edge compares the workers of different deployments by it. */
async function nextFence(trx: Trx, { project_id, environment }: DeploymentRow): Promise<number> {
  const { fence } = await trx
    .insertInto('deployment_fences')
    .values({ project_id, environment, fence: 1 })
    .onConflict((row) =>
      row
        .columns(['project_id', 'environment'])
        .doUpdateSet((eb) => ({ fence: eb('deployment_fences.fence', '+', 1) })),
    )
    .returning('fence')
    .executeTakeFirstOrThrow();
  return fence;
}

/** Keeps the lease, and brings back what others have asked of the deployment meanwhile. */
export const renewLease = (db: Db, kind: DatabaseKind, id: string, fence: number) =>
  db
    .updateTable('deployments')
    .set((eb) => ({ lease_until: eb(databaseNow(kind), '+', leaseMs) }))
    .where('id', '=', id)
    .where('fence', '=', fence)
    .returning(['cancel_requested_at', 'prompt_answer'])
    .executeTakeFirst();

/** The release that served until now makes room, in the transaction in which another one takes its place. */
export const makeRoom = (trx: Trx, { id, organization_id, project_id, environment }: DeploymentRow) =>
  tenant(trx, organization_id)
    .update('deployments', { active: 0 })
    .where('project_id', '=', project_id)
    .where('environment', '=', environment)
    .where('active', '=', 1)
    .where('id', '!=', id)
    .execute();

// What is looked after on this machine, whoever's it is.

export const selectActiveOn = (sql: Sql, owner: string) =>
  sql.selectFrom('deployments').selectAll().where('active', '=', 1).where(mayRunOn(owner)).orderBy('id').execute();

const underWay = ['building', 'deploying', 'partial_failure'];

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
    .where('project_id', '=', projectId)
    .where('environment', '=', environment)
    .where('status', 'in', statuses)
    .executeTakeFirst();
  return found !== undefined;
}

/** Whether a worker changes what a deployment stands for, be it another one of the same project that replaces it. */
export async function isBeingChanged(sql: Sql, id: string): Promise<boolean> {
  const found = await sql
    .selectFrom('deployments')
    .select(['project_id', 'environment'])
    .where('id', '=', id)
    .executeTakeFirst();
  return found !== undefined && isUnderWay(sql, found.project_id, found.environment, ['building', 'deploying']);
}

/** Those of them that were ready and that another release has replaced, where no worker is left who would stop them. */
export async function selectReplaced(sql: Sql, owner: string, ids: string[]): Promise<string[]> {
  if (!ids.length) return [];
  const found = await sql
    .selectFrom('deployments')
    .select('deployments.id')
    .where('deployments.id', 'in', ids)
    .where('deployments.status', '=', 'ready')
    .where('deployments.active', '=', 0)
    .where('deployments.stack', 'is', null)
    .where(mayRunOn(owner))
    .where((eb) => {
      const beside = eb
        .selectFrom('deployments as other')
        .select('other.id')
        .whereRef('other.project_id', '=', 'deployments.project_id')
        .whereRef('other.environment', '=', 'deployments.environment');
      const active = beside.where('other.active', '=', 1).where('other.lease_owner', 'is', null);
      return eb.and([eb.exists(active), eb.not(eb.exists(beside.where('other.status', 'in', underWay)))]);
    })
    .execute();
  return found.map(({ id }) => id);
}

/** A fence for pointing the edge at the active release again; undefined when that is not what serves any more, or a
 * worker is about to change it. */
export const fenceForActive = (db: Db, deployment: DeploymentRow): Promise<number | undefined> =>
  inTransaction(db, async (trx) => {
    const { id, organization_id, project_id, environment } = deployment;
    const active = await selectActive(trx, organization_id, project_id, environment);
    if (active?.id !== id || (await isUnderWay(trx, project_id, environment))) return undefined;
    return nextFence(trx, deployment);
  });

export async function selectByArtifact(sql: Sql, artifactIds: string[]) {
  if (!artifactIds.length) return [];
  return sql
    .selectFrom('deployments')
    .select(['artifact_id', 'artifact_kept', 'status'])
    .where('artifact_id', 'in', artifactIds)
    .execute();
}

export async function selectByDigest(sql: Sql, digests: string[]) {
  if (!digests.length) return [];
  return sql
    .selectFrom('deployments')
    .select(['image_digest', 'artifact_kept', 'status'])
    .where('image_digest', 'in', digests)
    .execute();
}

/** Deployments of several services that serve here, wait for a decision, or are under way. */
export const selectStacksOn = (sql: Sql, owner: string) =>
  sql
    .selectFrom('deployments')
    .selectAll()
    .where('stack', 'is not', null)
    .where((eb) => eb.or([eb('active', '=', 1), eb('status', 'in', underWay)]))
    .where(mayRunOn(owner))
    .orderBy('id')
    .execute();

/** Those of them that are of several services and have come to an end, or wait for a decision. */
export async function selectFinishedStacks(sql: Sql, ids: string[]) {
  if (!ids.length) return [];
  return sql
    .selectFrom('deployments')
    .select(['id', 'organization_id', 'project_id', 'environment'])
    .where('id', 'in', ids)
    .where('stack', 'is not', null)
    .where('status', 'not in', ['queued', 'building', 'deploying'])
    .execute();
}

/** What is noted of all services, for finding out which images somebody needs. */
export const selectStackServices = (sql: Sql) =>
  sql
    .selectFrom('deployments')
    .select(['id', 'services', 'artifact_kept', 'active', 'status'])
    .where('stack', 'is not', null)
    .where((eb) => eb.or([eb('artifact_kept', '=', 1), eb('active', '=', 1), eb('finished_at', 'is', null)]))
    .execute();

/** A fence for pointing the edge at what serves of several services; undefined when a worker is about to change it. */
export const fenceForStack = (db: Db, deployment: DeploymentRow): Promise<number | undefined> =>
  inTransaction(db, async (trx) => {
    const now = await selectDeployment(trx, deployment.organization_id, deployment.id);
    if (!now || now.lease_owner !== null || now.fence !== deployment.fence) return undefined;
    if (now.active !== 1 && now.status !== 'partial_failure') return undefined;
    const { project_id, environment } = now;
    if (now.active === 1 && (await isUnderWay(trx, project_id, environment))) return undefined;
    return nextFence(trx, now);
  });

export async function selectStatuses(sql: Sql, ids: string[]) {
  if (!ids.length) return [];
  return sql.selectFrom('deployments').select(['id', 'status']).where('id', 'in', ids).execute();
}
