import { type ExpressionBuilder, sql } from 'kysely';
import { databaseNow } from '../../../db/clock.ts';
import { lockUntilCommit } from '../../../db/lock.ts';
import type { DeploymentTable, Tables } from '../../../db/tables.ts';
import {
  type DatabaseKind,
  type Db,
  inTransaction,
  isUniqueViolation,
  type Sql,
  type Trx,
} from '../../../db/database.ts';

// Who works on what: claims, leases and fences. What a worker does to the deployment that it holds is bound by the lease's fence
// instead of a caller's organization.

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

/** Takes a deployment to work on: first one whose worker died, then the oldest in the queue whose project is free; only one
 * that is built already where there is no place to build. Organizations take turns, and none builds more than `ofEach` at once,
 * if that is set. */
export async function claimNext(
  db: Db,
  kind: DatabaseKind,
  owner: string,
  held: string[],
  mayBuild = true,
  ofEach: number | null = null,
): Promise<DeploymentTable | undefined> {
  const claim = inTransaction(db, async (trx) => {
    // Builds of an organization are counted on all replicas.
    await lockUntilCommit(trx, kind, 'the queue of deployments');
    const next =
      (await abandoned(trx, kind, owner, held, mayBuild)) ?? (await nextInQueue(trx, kind, owner, mayBuild, ofEach));
    return next && take(trx, kind, next, owner);
  });
  return claim.catch((error: unknown) => {
    // Another replica was faster with the same project.
    if (isUniqueViolation(error)) return undefined;
    throw error;
  });
}

export const mayRunOn = (owner: string) => (eb: ExpressionBuilder<Tables, 'deployments'>) =>
  eb.or([eb('deployments.machine', 'is', null), eb('deployments.machine', '=', owner)]);

/** A machine that this replica looks after: its own, or a server. */
export type Machine = { owner: string; server: { id: string } | null };

/** What is on a server is within reach of every replica, whichever has put it there. */
export const isOn =
  ({ owner, server }: Machine) =>
  (eb: ExpressionBuilder<Tables, 'deployments'>) =>
    server
      ? eb('deployments.serverId', '=', server.id)
      : eb.and([mayRunOn(owner)(eb), eb('deployments.serverId', 'is', null)]);

/** The same, wherever it is. */
export const isInReachOf = (owner: string) => (eb: ExpressionBuilder<Tables, 'deployments'>) =>
  eb.or([eb('deployments.serverId', 'is not', null), mayRunOn(owner)(eb)]);

/** A worker elsewhere can be replaced here: what is needed is on a server, or comes from there where everybody can get it. The files
 * of several services are with whoever has read them. */
const canBeTakenOver = (eb: ExpressionBuilder<Tables, 'deployments'>) =>
  eb.and([
    eb('deployments.serverId', 'is not', null),
    eb.or([eb('deployments.stack', 'is', null), isApp(eb)]),
    eb.or([
      eb('deployments.artifactKept', '=', 1),
      eb.and(keptHere.map((type) => eb('deployments.source', 'not like', `{"type":"${type}"%`))),
    ]),
  ]);

/** As `isAppRow` has it, once it is known what is deployed. */
const isApp = (eb: ExpressionBuilder<Tables, 'deployments'>) => eb('deployments.services', 'like', '%"isApp":true%');

/** Sources that are on the machine of one replica. */
const keptHere = ['upload', 'local'];

/** It was built by now, or starts what another deployment has built. */
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

function nextInQueue(trx: Trx, kind: DatabaseKind, owner: string, mayBuild: boolean, ofEach: number | null) {
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
            .whereRef('other.projectId', '=', 'deployments.projectId')
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
    .$if(ofEach !== null, (some) => some.where((eb) => eb.or([needsNoBuild(eb), eb(buildsOfSame(eb), '<', ofEach!)])))
    .orderBy(buildsOfSame)
    .orderBy(lastBegunOfSame)
    .orderBy('deployments.id')
    .limit(1);
  return (kind === 'postgres' ? query.forUpdate().skipLocked() : query).executeTakeFirst();
}

type Queued = ExpressionBuilder<Tables, 'deployments'>;

/** How many deployments of the same organization are being built. */
const buildsOfSame = (eb: Queued) =>
  eb
    .selectFrom('deployments as building')
    .select((of) => of.fn.countAll<number>().as('count'))
    .whereRef('building.organizationId', '=', 'deployments.organizationId')
    // In the words of the index.
    .where(sql<boolean>`(building.active = 1 or building.status in ('building', 'deploying', 'partial_failure'))`)
    .where('building.status', '=', 'building');

/** When one of them was begun for the last time: who had a turn before others waits for theirs. */
const lastBegunOfSame = (eb: Queued) =>
  eb
    .selectFrom('deployments as begun')
    .select((of) => of.fn.coalesce(of.fn.max('begun.startedAt'), of.lit(0)).as('at'))
    .whereRef('begun.organizationId', '=', 'deployments.organizationId');

async function take(trx: Trx, kind: DatabaseKind, next: DeploymentTable, owner: string): Promise<DeploymentTable> {
  const begun = next.status === 'queued' ? { status: 'building' as const, startedAt: Date.now() } : {};
  // From here on what there is of it outside of the server is with us.
  const own = next.serverId === null ? {} : { machine: owner };
  return trx
    .updateTable('deployments')
    .set({ ...begun, ...own, fence: await nextFence(trx, next), leaseOwner: owner })
    .set((eb) => ({ leaseUntil: eb(databaseNow(kind), '+', deploymentLeaseMs) }))
    .where('id', '=', next.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The fence is the project's, not the deployment's: the edge compares the workers of different deployments by it. */
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

/** Keeps the lease, and brings back what others have asked of the deployment meanwhile. */
export const renewLease = (db: Db, kind: DatabaseKind, id: string, fence: number) =>
  db
    .updateTable('deployments')
    .set((eb) => ({ leaseUntil: eb(databaseNow(kind), '+', deploymentLeaseMs) }))
    .where('id', '=', id)
    .where('fence', '=', fence)
    .returning(['cancelRequestedAt', 'promptAnswer'])
    .executeTakeFirst();
