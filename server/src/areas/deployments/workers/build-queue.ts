import type { ExpressionBuilder } from 'kysely';
import { databaseNow } from '../../../db/clock.ts';
import { type DatabaseKind, type Db, inTransaction } from '../../../db/database.ts';
import type { BuildTable, Tables } from '../../../db/tables.ts';
import { workerLabels } from '../../../db/tables/workers.ts';
import { newId } from '../../../lib/ids.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { type HeldDeployment, isContextOf } from './context-files.ts';
import { canBuild } from './worker-match.ts';
import { type BuildOrder, type BuildOutcome, lineBatch, type OutputLine, readOrder, readOutcome } from './wire.ts';
import type { Worker } from './worker-store.ts';

export const buildLeaseMs = 15_000;

type Builds = ExpressionBuilder<Tables, 'builds'>;

/** A build that this worker holds. */
export type ClaimedBuild = Pick<
  BuildTable,
  'id' | 'deploymentId' | 'service' | 'platform' | 'contextId' | 'attempt'
> & {
  order: BuildOrder;
};

/** Builds that wait for a worker. Leases are by the database's clock, and each claim fences off the previous one. */
export class BuildQueue {
  readonly #db: Db;
  readonly #kind: DatabaseKind;
  readonly #sealer: Sealer;

  constructor({ db, kind, sealer }: { db: Db; kind: DatabaseKind; sealer: Sealer }) {
    [this.#db, this.#kind, this.#sealer] = [db, kind, sealer];
  }

  /** Returns the id of the build. */
  async add(
    build: Pick<BuildTable, 'deploymentId' | 'fence' | 'service' | 'platform' | 'contextId'> & { labels: string[] },
    order: BuildOrder,
  ): Promise<string> {
    const id = newId('bld');
    const request = this.#sealer.seal(JSON.stringify(order), { table: 'builds', column: 'request', row: id });
    const own = { ...build, labels: JSON.stringify(build.labels), request };
    const free = { attempt: 0, returned: 0, leaseOwner: null, leaseUntil: null, result: null };
    await this.#db
      .insertInto('builds')
      .values({ id, ...own, ...free })
      .execute();
    return id;
  }

  /** Removes builds with their files, which cancels those that run. Those of a replica that has taken the deployment
   * over since stay. */
  async remove(deployment: HeldDeployment, service: string): Promise<void> {
    const { id, fence } = deployment;
    await inTransaction(this.#db, async (trx) => {
      await trx
        .deleteFrom('builds')
        .where('deploymentId', '=', id)
        .where('service', '=', service)
        .where('fence', '<=', fence)
        .execute();
      const stored = trx.selectFrom('build_chunks').select('contextId').distinct().where('deploymentId', '=', id);
      const all = (await stored.execute()).map(({ contextId }) => contextId);
      const ids = all.filter((each) => isContextOf(each, deployment, service));
      if (ids.length) await trx.deleteFrom('build_chunks').where('contextId', 'in', ids).execute();
    });
  }

  /** Takes back a build that no worker holds. */
  async withdraw(id: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('builds')
      .where('id', '=', id)
      .where(this.#isFree)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }

  /** Returns where a build stands, with the lines it printed since; undefined if it is gone. */
  async progress(id: string) {
    const row = await this.#db
      .selectFrom('builds')
      .select(['leaseOwner', 'attempt', 'returned', 'result'])
      .select((eb) => eb.case().when(this.#isFree(eb)).then(0).else(1).end().as('isHeld'))
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) return undefined;
    const batches = await this.#db.deleteFrom('build_lines').where('buildId', '=', id).returningAll().execute();
    const lines = batches
      .toSorted((a, b) => a.number - b.number)
      .flatMap((batch) => lineBatch(this.#open('build_lines', 'lines', batch.id, batch.lines)));
    const { leaseOwner: owner, attempt, returned, result } = row;
    const outcome = result === null ? undefined : readOutcome(this.#open('builds', 'result', id, result));
    return { owner, attempt, returned, isHeld: row.isHeld === 1, outcome, lines };
  }

  /** Claims the oldest build that fits and can be read: after a change of the key, another worker may have it. A worker
   * builds an image for one platform at a time. */
  async claim(worker: Worker, held: readonly ClaimedBuild[]): Promise<ClaimedBuild | undefined> {
    const waiting = await this.#db
      .selectFrom('builds')
      .selectAll()
      .where(this.#isFree)
      .where(ofCurrentLease)
      .orderBy('id')
      .execute();
    const isApart = (row: BuildTable) =>
      !held.some(({ deploymentId, service }) => deploymentId === row.deploymentId && service === row.service);
    let problem: unknown;
    for (const row of waiting) {
      if (!isApart(row) || !canBuild(worker, { platform: row.platform, labels: workerLabels(row.labels) })) continue;
      let order: BuildOrder;
      try {
        order = readOrder(this.#open('builds', 'request', row.id, row.request));
      } catch (error) {
        problem = error;
        continue;
      }
      const attempt = row.attempt + 1;
      const { numUpdatedRows } = await this.#db
        .updateTable('builds')
        .set({ leaseOwner: worker.id, attempt })
        .set((eb) => ({ leaseUntil: eb(databaseNow(this.#kind), '+', buildLeaseMs) }))
        .where('id', '=', row.id)
        .where('attempt', '=', row.attempt)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) return { ...row, attempt, order };
    }
    if (problem) throw problem;
    return undefined;
  }

  /** Undefined if another worker has it, or its deployment no longer waits for it. */
  async renew({ id, attempt }: ClaimedBuild): Promise<{ cancelRequestedAt: null } | undefined> {
    const { numUpdatedRows } = await this.#db
      .updateTable('builds')
      .set((eb) => ({ leaseUntil: eb(databaseNow(this.#kind), '+', buildLeaseMs) }))
      .where('id', '=', id)
      .where('attempt', '=', attempt)
      .where(ofCurrentLease)
      .executeTakeFirst();
    return numUpdatedRows > 0n ? { cancelRequestedAt: null } : undefined;
  }

  /** Gives the build back, so that another worker starts it at once. */
  release = ({ id, attempt }: ClaimedBuild) =>
    this.#db
      .updateTable('builds')
      .set((eb) => ({ leaseOwner: null, leaseUntil: null, returned: eb('returned', '+', 1) }))
      .where('id', '=', id)
      .where('attempt', '=', attempt)
      .execute();

  async finish({ id, attempt }: ClaimedBuild, outcome: BuildOutcome): Promise<void> {
    const result = this.#sealer.seal(JSON.stringify(outcome), { table: 'builds', column: 'result', row: id });
    const change = this.#db.updateTable('builds').set({ result });
    await change.where('id', '=', id).where('attempt', '=', attempt).execute();
  }

  /** Does nothing if the build was taken over. */
  async addLines({ id, attempt }: ClaimedBuild, number: number, lines: OutputLine[]): Promise<void> {
    const row = `${id}-${attempt}-${number}`;
    const sealed = this.#sealer.seal(JSON.stringify(lines), { table: 'build_lines', column: 'lines', row });
    await this.#db
      .insertInto('build_lines')
      .columns(['id', 'buildId', 'number', 'lines'])
      .expression((eb) =>
        eb
          .selectFrom('builds')
          .select((of) => [of.val(row).as('id'), 'builds.id', of.val(number).as('number'), of.val(sealed).as('lines')])
          .where('builds.id', '=', id)
          .where('builds.attempt', '=', attempt),
      )
      .execute();
  }

  #open = (table: string, column: string, row: string, sealed: string): string =>
    this.#sealer.open(sealed, { table, column, row });

  #isFree = (eb: Builds) =>
    eb.and([
      eb('builds.result', 'is', null),
      eb.or([eb('builds.leaseUntil', 'is', null), eb('builds.leaseUntil', '<', databaseNow(this.#kind))]),
    ]);
}

/** Whether the deployment is still held by the replica that waits for the build. */
const ofCurrentLease = (eb: Builds) =>
  eb.exists(
    eb
      .selectFrom('deployments')
      .select('deployments.id')
      .whereRef('deployments.id', '=', 'builds.deploymentId')
      .whereRef('deployments.fence', '=', 'builds.fence'),
  );
