import { sql as raw } from 'kysely';
import { databaseNow } from '../../../db/clock.ts';
import { type DatabaseKind, type Db, inTransaction, type Sql } from '../../../db/database.ts';
import type { GithostDeliveryTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export type DeliveryRow = GithostDeliveryTable;

/** The same delivery, or the same bytes under another name. */
export const selectSame = (sql: Sql, organizationId: string, { guid, digest }: Pick<DeliveryRow, 'guid' | 'digest'>) =>
  tenant(sql, organizationId)
    .select('githost_deliveries')
    .select(['id', 'status'])
    .where((eb) => eb.or([eb('guid', '=', guid), eb('digest', '=', digest)]))
    .executeTakeFirst();

/** Nothing when somebody else was faster. */
export const insertDelivery = (sql: Sql, { organizationId, ...row }: DeliveryRow) =>
  tenant(sql, organizationId)
    .insert('githost_deliveries', row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();

export const selectDelivery = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).select('githost_deliveries').selectAll().where('id', '=', id).executeTakeFirst();

/** To be handled once more, unless it waits for that already. */
export const handleAgain = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId)
    .update('githost_deliveries', {
      status: 'received',
      attempts: 0,
      nextTryAt: 0,
      outcome: null,
      handledAt: null,
    })
    .where('id', '=', id)
    .where('status', '!=', 'received')
    .execute();

export type DeliveryFilter = { repositories: 'all' | string[]; cursor?: string | undefined; limit: number };

/** Newest first. `repositories` are names and `owner/*`. */
export function selectDeliveries(sql: Sql, organizationId: string, { repositories, cursor, limit }: DeliveryFilter) {
  let query = tenant(sql, organizationId).select('githost_deliveries').selectAll();
  if (cursor) query = query.where('id', '<', cursor);
  if (repositories !== 'all')
    query = query.where((eb) =>
      eb.or([
        eb.lit(false),
        ...repositories.map((each) => {
          const pattern = each.toLowerCase().replace(/\*$/, '');
          const whole = each.endsWith('/*')
            ? raw<string>`substr(repository, 1, ${pattern.length})`
            : eb.ref('repository');
          return eb(raw<string>`lower(${whole})`, '=', pattern);
        }),
      ]),
    );
  return query.orderBy('id', 'desc').limit(limit).execute();
}

// What a worker does: bound by its lease, not by a caller's organization.

/** Asking a slow host takes its time; should two work on one delivery, the second finds that it is done. */
const leaseMs = 120_000;

/** The oldest one that waits, for this worker alone. One of its own from before a restart is taken at once. */
export function claimDelivery(
  db: Db,
  kind: DatabaseKind,
  owner: string,
  held: string[],
): Promise<DeliveryRow | undefined> {
  return inTransaction(db, async (trx) => {
    const query = trx
      .selectFrom('githost_deliveries')
      .select('id')
      .where('status', '=', 'received')
      .where('nextTryAt', '<=', databaseNow(kind))
      .where('id', 'not in', held.length ? held : [''])
      .where((eb) =>
        eb.or([eb('leaseOwner', 'is', null), eb('leaseOwner', '=', owner), eb('leaseUntil', '<', databaseNow(kind))]),
      )
      .orderBy('nextTryAt')
      .orderBy('id')
      .limit(1);
    const next = await (kind === 'postgres' ? query.forUpdate().skipLocked() : query).executeTakeFirst();
    if (!next) return undefined;
    return trx
      .updateTable('githost_deliveries')
      .set((eb) => ({ leaseOwner: owner, leaseUntil: eb(databaseNow(kind), '+', leaseMs) }))
      .where('id', '=', next.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/** Writes what came of it, if this worker still has it. */
export const releaseDelivery = (sql: Sql, id: string, owner: string, change: Partial<DeliveryRow>) =>
  sql
    .updateTable('githost_deliveries')
    .set({ ...change, leaseOwner: null, leaseUntil: null })
    .where('id', '=', id)
    .where('leaseOwner', '=', owner)
    .where('status', '=', 'received')
    .execute();

/** As if it had never been announced here. */
export const dropDelivery = (sql: Sql, id: string, owner: string) =>
  sql.deleteFrom('githost_deliveries').where('id', '=', id).where('leaseOwner', '=', owner).execute();

/** Retention is the instance's: what is old, and what is beyond so many of one organization. */
export async function deleteOldDeliveries(db: Db, before: number, most: number): Promise<void> {
  await db
    .deleteFrom('githost_deliveries')
    .where('receivedAt', '<', before)
    .where('status', '!=', 'received')
    .execute();
  const crowded = await db
    .selectFrom('githost_deliveries')
    .select('organizationId')
    .groupBy('organizationId')
    .having((eb) => eb.fn.countAll<number>(), '>', most)
    .execute();
  for (const { organizationId } of crowded) {
    const last = await tenant(db, organizationId)
      .select('githost_deliveries')
      .select('id')
      .orderBy('id', 'desc')
      .offset(most)
      .limit(1)
      .executeTakeFirst();
    if (last)
      await tenant(db, organizationId)
        .delete('githost_deliveries')
        .where('id', '<=', last.id)
        .where('status', '!=', 'received')
        .execute();
  }
}

export const organizationsOfInstallation = async (sql: Sql, installationId: number): Promise<string[]> =>
  (
    await sql
      .selectFrom('githost_installations')
      .select('organizationId')
      .where('installationId', '=', installationId)
      .execute()
  ).map(({ organizationId }) => organizationId);
