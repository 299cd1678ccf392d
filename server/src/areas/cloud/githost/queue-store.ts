import type { Sql } from '../../../db/database.ts';
import type { CloudDeliveryTable, CloudQueueTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export const selectQueue = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId).select('cloud_queues').selectAll().executeTakeFirst();

export const insertQueue = (sql: Sql, { organizationId, ...row }: CloudQueueTable) =>
  tenant(sql, organizationId)
    .insert('cloud_queues', row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();

export const touchQueue = (sql: Sql, organizationId: string, askedAt: number) =>
  tenant(sql, organizationId).update('cloud_queues', { askedAt }).execute();

/**
 * Returns the next number of an active queue. The row stays locked until the commit, so that readers up to a number
 * have seen all before it.
 */
export async function nextQueueNumber(
  sql: Sql,
  organizationId: string,
  askedSince: number,
): Promise<number | undefined> {
  const taken = await sql
    .updateTable('cloud_queues')
    .set((eb) => ({ lastSeq: eb('lastSeq', '+', 1) }))
    .where('organizationId', '=', organizationId)
    .where('askedAt', '>=', askedSince)
    .returning('lastSeq')
    .executeTakeFirst();
  return taken?.lastSeq;
}

/** False for a duplicate, by id or by body. */
export async function insertQueued(sql: Sql, { organizationId, ...row }: CloudDeliveryTable): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tenant(sql, organizationId)
    .insert('cloud_deliveries', row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export const selectQueued = (sql: Sql, organizationId: string, after: number, limit: number) =>
  tenant(sql, organizationId)
    .select('cloud_deliveries')
    .selectAll()
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute();

/** Returns the newest one before the time. */
export const selectNewestQueuedBefore = (sql: Sql, organizationId: string, before: number) =>
  tenant(sql, organizationId)
    .select('cloud_deliveries')
    .select('seq')
    .where('createdAt', '<', before)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Drops deliveries; instances that have not read them are told so. */
export async function dropQueuedUpTo(sql: Sql, organizationId: string, seq: number): Promise<void> {
  const own = tenant(sql, organizationId);
  await own.delete('cloud_deliveries').where('seq', '<=', seq).execute();
  await own.update('cloud_queues', { droppedSeq: seq }).where('droppedSeq', '<', seq).execute();
}

export async function deleteQueue(sql: Sql, organizationId: string): Promise<void> {
  await tenant(sql, organizationId).delete('cloud_deliveries').execute();
  await tenant(sql, organizationId).delete('cloud_queues').execute();
}

/** Returns the organizations whose queue is active. */
export const selectActiveQueues = async (sql: Sql, organizationIds: string[], since: number): Promise<string[]> =>
  (
    await sql
      .selectFrom('cloud_queues')
      .select('organizationId')
      .where('organizationId', 'in', organizationIds.length ? organizationIds : [''])
      .where('askedAt', '>=', since)
      .execute()
  ).map((row) => row.organizationId);

/** Not scoped to a tenant: for the retention. */
export const selectQueues = (sql: Sql) => sql.selectFrom('cloud_queues').selectAll().execute();
