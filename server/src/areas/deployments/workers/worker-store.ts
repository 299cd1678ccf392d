import { databaseNow } from '../../../db/clock.ts';
import type { DatabaseKind, Db } from '../../../db/database.ts';
import type { WorkerTable } from '../../../db/tables.ts';
import { workerLabels, workerPlatforms } from '../../../db/tables/workers.ts';
import type { WorkerOffer } from './worker-match.ts';

/** How often a worker reports. */
export const reportMs = 5_000;
/** A worker that missed three reports counts as gone. */
const goneMs = 3 * reportMs;
const forgottenMs = 86_400_000;

export type Worker = WorkerOffer & { id: string; version: string };

/** Registers a worker, or says that it is still there. Workers that were gone for a day are forgotten. */
export async function reportWorker(db: Db, kind: DatabaseKind, worker: Worker): Promise<void> {
  const { id, name, version } = worker;
  const own = { name, version, platforms: JSON.stringify(worker.platforms), labels: JSON.stringify(worker.labels) };
  const seenAt = databaseNow(kind);
  await db
    .insertInto('workers')
    .values({ id, ...own, seenAt })
    .onConflict((row) => row.column('id').doUpdateSet({ ...own, seenAt }))
    .execute();
  await db
    .deleteFrom('workers')
    .where((eb) => eb('seenAt', '<', eb(databaseNow(kind), '-', forgottenMs)))
    .execute();
}

export const removeWorker = (db: Db, id: string) => db.deleteFrom('workers').where('id', '=', id).execute();

/** Workers that report. */
export async function connectedWorkers(db: Db, kind: DatabaseKind): Promise<Worker[]> {
  const rows = await db
    .selectFrom('workers')
    .selectAll()
    .where((eb) => eb('seenAt', '>', eb(databaseNow(kind), '-', goneMs)))
    .orderBy('name')
    .execute();
  return rows.map(workerOf);
}

const workerOf = (row: WorkerTable): Worker => ({
  id: row.id,
  name: row.name,
  version: row.version,
  platforms: workerPlatforms(row.platforms),
  labels: workerLabels(row.labels),
});

export type ShownWorker = Worker & {
  seenAt: number;
  isConnected: boolean;
  builds: { deploymentId: string; service: string; platform: string }[];
};

/** All workers, with what they build now. */
export async function selectWorkers(db: Db, kind: DatabaseKind): Promise<ShownWorker[]> {
  const rows = await db
    .selectFrom('workers')
    .leftJoin('builds', (join) =>
      join
        .onRef('builds.leaseOwner', '=', 'workers.id')
        .on('builds.result', 'is', null)
        .on((eb) => eb('builds.leaseUntil', '>', databaseNow(kind))),
    )
    .selectAll('workers')
    .select(['builds.deploymentId', 'builds.service', 'builds.platform'])
    .select((eb) => eb(databaseNow(kind), '-', eb.ref('workers.seenAt')).as('age'))
    .orderBy('workers.name')
    .orderBy('workers.id')
    .execute();
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((own) => ({
    ...workerOf(own[0]!),
    seenAt: own[0]!.seenAt,
    isConnected: own[0]!.age < goneMs,
    builds: own.flatMap(({ deploymentId, service, platform }) =>
      deploymentId && service && platform ? [{ deploymentId, service, platform }] : [],
    ),
  }));
}
