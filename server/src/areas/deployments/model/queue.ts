import { type ExpressionBuilder, sql } from 'kysely';
import { databaseNow } from '../../../db/clock.ts';
import { lockUntilCommit } from '../../../db/lock.ts';
import { selectHolds } from './hold-store.ts';
import type { DeploymentTable, Tables } from '../../../db/tables.ts';
import {
  type DatabaseKind,
  type Db,
  inTransaction,
  isUniqueViolation,
  type Sql,
  type Trx,
} from '../../../db/database.ts';

// Claims, leases and fences. A worker's writes to the deployment it holds are guarded by the lease's fence instead of
// a caller's organization.

/** Writes to the deployment under the fence; false if another worker has taken over. */
export async function updateUnderFence(
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

/** Releases the lease, unless a decision was made in the meantime. */
export async function releaseLease(
  sql: Sql,
  id: string,
  fence: number,
  decision: DeploymentTable['decision'],
): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('deployments')
    .set({ leaseOwner: null, leaseUntil: null })
    .where('id', '=', id)
    .where('fence', '=', fence)
    .where('decision', decision === null ? 'is' : '=', decision)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const deploymentLeaseMs = 15_000;

/** Makes the count of an organization's builds, and gates of restores, exact across replicas. */
export const lockQueue = (trx: Trx, kind: DatabaseKind): Promise<void> =>
  lockUntilCommit(trx, kind, 'the queue of deployments');

/**
 * Claims a deployment: first one whose worker died, then the oldest queued one whose project is free. Without a free
 * build slot, only one that needs no build. Organizations take turns, and `buildsPerOrganization` limits the concurrent builds of
 * each.
 */
export async function claimNextDeployment(
  db: Db,
  kind: DatabaseKind,
  owner: string,
  held: string[],
  mayBuild = true,
  buildsPerOrganization: number | null = null,
): Promise<DeploymentTable | undefined> {
  const claim = inTransaction(db, async (trx) => {
    await lockQueue(trx, kind);
    const next =
      (await abandoned(trx, kind, owner, held, mayBuild)) ??
      (await nextInQueue(trx, kind, owner, mayBuild, buildsPerOrganization));
    return next && take(trx, kind, next, owner);
  });
  return claim.catch((error: unknown) => {
    // Another replica claimed a deployment of the same project first.
    if (isUniqueViolation(error)) return undefined;
    throw error;
  });
}

export const mayRunOn = (owner: string) => (eb: ExpressionBuilder<Tables, 'deployments'>) =>
  eb.or([eb('deployments.machine', 'is', null), eb('deployments.machine', '=', owner)]);

/** A machine that this replica maintains: its own, or a server. */
export type MaintainedMachine = { owner: string; server: { id: string } | null };

/** Every replica can reach a server, whichever replica deployed there. */
export const isOnMachine =
  ({ owner, server }: MaintainedMachine) =>
  (eb: ExpressionBuilder<Tables, 'deployments'>) =>
    server
      ? eb('deployments.serverId', '=', server.id)
      : eb.and([mayRunOn(owner)(eb), eb('deployments.serverId', 'is', null)]);

/** Matches every deployment that this replica can reach, on any machine. */
export const isReachableFrom = (owner: string) => (eb: ExpressionBuilder<Tables, 'deployments'>) =>
  eb.or([eb('deployments.serverId', 'is not', null), mayRunOn(owner)(eb)]);

/**
 * A dead worker can be replaced by another replica if everything it needs is on a server or can be fetched again. The
 * files that services of a stack mount are on the replica that read them, and come from the source.
 */
const canBeTakenOver = (eb: ExpressionBuilder<Tables, 'deployments'>) =>
  eb.and([
    eb('deployments.serverId', 'is not', null),
    eb.or([
      eb.and([eb('deployments.artifactKept', '=', 1), eb.or([eb('deployments.stack', 'is', null), isApp(eb)])]),
      isSharedUpload(eb),
      eb.and(keptHere.map((type) => eb('deployments.source', 'not like', `{"type":"${type}"%`))),
    ]),
  ]);

/** Any replica can deploy it to a server. */
const isSharedUpload = (eb: ExpressionBuilder<Tables, 'deployments'>) =>
  eb('deployments.source', 'like', '{"type":"upload"%"isShared":true%');

/** SQL form of `isAppRow`, valid once detection has run. */
const isApp = (eb: ExpressionBuilder<Tables, 'deployments'>) => eb('deployments.services', 'like', '%"isApp":true%');

/** Source types that exist only on one replica's machine, unless an upload is shared. */
const keptHere = ['upload', 'local'];

/** Already built, or starts the artifact of another deployment. */
const needsNoBuild = (eb: ExpressionBuilder<Tables, 'deployments'>) =>
  eb.or([
    eb('deployments.status', 'not in', ['queued', 'building']),
    eb.and([eb('deployments.artifactId', '!=', eb.ref('deployments.id')), eb('deployments.artifactKept', '=', 1)]),
  ]);

function abandoned(trx: Trx, kind: DatabaseKind, owner: string, held: string[], mayBuild: boolean) {
  const query = trx
    .selectFrom('deployments')
    .selectAll()
    .where('leaseOwner', 'is not', null)
    .where((eb) => eb.or([mayRunOn(owner)(eb), canBeTakenOver(eb)]))
    .where('id', 'not in', held.length ? held : [''])
    .where((eb) => eb.or([eb('leaseUntil', '<', databaseNow(kind)), eb('leaseOwner', '=', owner)]))
    .$if(!mayBuild, (some) => some.where(needsNoBuild))
    .orderBy('id')
    .limit(1);
  return (kind === 'postgres' ? query.forUpdate().skipLocked() : query).executeTakeFirst();
}

async function nextInQueue(
  trx: Trx,
  kind: DatabaseKind,
  owner: string,
  mayBuild: boolean,
  buildsPerOrganization: number | null,
) {
  const gates = (await selectHolds(trx)).filter(({ how }) => how === 'gate').map(({ deploymentId }) => deploymentId);
  const query = trx
    .selectFrom('deployments')
    .selectAll('deployments')
    .where('deployments.status', '=', 'queued')
    .where('deployments.held', '=', 0)
    .where((eb) =>
      eb.or([mayRunOn(owner)(eb), eb.and([eb('deployments.serverId', 'is not', null), isSharedUpload(eb)])]),
    )
    .$if(!mayBuild, (some) => some.where(needsNoBuild))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('deployments as other')
            .select('other.id')
            .whereRef('other.projectId', '=', 'deployments.projectId')
            .whereRef('other.environment', '=', 'deployments.environment')
            .where((other) =>
              other.or([
                // A restore replaces the data of this environment.
                other('other.id', 'in', gates.length ? gates : ['']),
                other('other.status', 'in', ['building', 'deploying', 'partial_failure']),
                // The older one goes first, even if another replica is about to claim it.
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
    .$if(buildsPerOrganization !== null, (some) =>
      some.where((eb) => eb.or([needsNoBuild(eb), eb(buildsOfSame(eb), '<', buildsPerOrganization!)])),
    )
    .orderBy(buildsOfSame)
    .orderBy(lastBegunOfSame)
    .orderBy('deployments.id')
    .limit(1);
  return (kind === 'postgres' ? query.forUpdate().skipLocked() : query).executeTakeFirst();
}

type Queued = ExpressionBuilder<Tables, 'deployments'>;

/** Number of deployments of the same organization that are building. */
const buildsOfSame = (eb: Queued) =>
  eb
    .selectFrom('deployments as building')
    .select((of) => of.fn.countAll<number>().as('count'))
    .whereRef('building.organizationId', '=', 'deployments.organizationId')
    // Must match the condition of the index.
    .where(sql<boolean>`(building.active = 1 or building.status in ('building', 'deploying', 'partial_failure'))`)
    .where('building.status', '=', 'building');

/** Time at which the organization last started a deployment: the longest waiting organization goes first. */
const lastBegunOfSame = (eb: Queued) =>
  eb
    .selectFrom('deployments as begun')
    .select((of) => of.fn.coalesce(of.fn.max('begun.startedAt'), of.lit(0)).as('at'))
    .whereRef('begun.organizationId', '=', 'deployments.organizationId');

async function take(trx: Trx, kind: DatabaseKind, next: DeploymentTable, owner: string): Promise<DeploymentTable> {
  const begun = next.status === 'queued' ? { status: 'building' as const, startedAt: Date.now() } : {};
  // From here on, this replica holds the files that are not on the server.
  const own = next.serverId === null ? {} : { machine: owner };
  return trx
    .updateTable('deployments')
    .set({ ...begun, ...own, fence: await nextFence(trx, next), leaseOwner: owner })
    .set((eb) => ({ leaseUntil: eb(databaseNow(kind), '+', deploymentLeaseMs) }))
    .where('id', '=', next.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * The fence belongs to the project, not the deployment: the edge uses it to order workers of different deployments.
 */
export async function nextFence(trx: Trx, { projectId, environment }: DeploymentTable): Promise<number> {
  const { fence } = await trx
    .insertInto('deployment_fences')
    .values({ projectId, environment, fence: 1 })
    .onConflict((row) =>
      row.columns(['projectId', 'environment']).doUpdateSet((eb) => ({ fence: eb('deployment_fences.fence', '+', 1) })),
    )
    .returning('fence')
    .executeTakeFirstOrThrow();
  return fence;
}

/** Renews the lease and returns requests that arrived meanwhile: a cancel, or the answer to a prompt. */
export const renewLease = (db: Db, kind: DatabaseKind, id: string, fence: number) =>
  db
    .updateTable('deployments')
    .set((eb) => ({ leaseUntil: eb(databaseNow(kind), '+', deploymentLeaseMs) }))
    .where('id', '=', id)
    .where('fence', '=', fence)
    .returning(['cancelRequestedAt', 'promptAnswer'])
    .executeTakeFirst();
