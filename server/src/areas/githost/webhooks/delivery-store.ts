import { sql as raw } from 'kysely';
import { databaseNow } from '../../../db/clock.ts';
import { type DatabaseKind, type Db, inTransaction, type Sql } from '../../../db/database.ts';
import type { GithostDeliveryTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export type DeliveryRow = GithostDeliveryTable;

/** Finds the same delivery, or the same body under another id. */
export const selectSameDelivery = (
  sql: Sql,
  organizationId: string,
  { guid, digest }: Pick<DeliveryRow, 'guid' | 'digest'>,
) =>
  tenant(sql, organizationId)
    .select('githost_deliveries')
    .select(['id', 'status'])
    .where((eb) => eb.or([eb('guid', '=', guid), eb('digest', '=', digest)]))
    .executeTakeFirst();

/** Ignores a concurrent duplicate. */
export const insertDelivery = (sql: Sql, { organizationId, ...row }: DeliveryRow) =>
  tenant(sql, organizationId)
    .insert('githost_deliveries', row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();

export const selectDelivery = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).select('githost_deliveries').selectAll().where('id', '=', id).executeTakeFirst();

/** Queues a delivery again, unless it is queued already. */
export const requeueDelivery = (sql: Sql, organizationId: string, id: string) =>
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

/** Returns deliveries, newest first. `repositories` are names or `owner/*`. */
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

// Not scoped to a tenant: workers are bound by their lease.

/** Long enough for a slow git host. If two workers overlap, the second finds the delivery done. */
const leaseMs = 120_000;

/** Claims the oldest waiting delivery. One that this replica held before a restart is claimed at once. */
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

/** Stores the outcome if this worker still holds the delivery. */
export const releaseDelivery = (sql: Sql, id: string, owner: string, change: Partial<DeliveryRow>) =>
  sql
    .updateTable('githost_deliveries')
    .set({ ...change, leaseOwner: null, leaseUntil: null })
    .where('id', '=', id)
    .where('leaseOwner', '=', owner)
    .where('status', '=', 'received')
    .execute();

/** Deletes a delivery that does not concern the organization. */
export const dropDelivery = (sql: Sql, id: string, owner: string) =>
  sql.deleteFrom('githost_deliveries').where('id', '=', id).where('leaseOwner', '=', owner).execute();

/** Deletes deliveries that are too old, or beyond the maximum per organization. */
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
