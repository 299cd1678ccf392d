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

/** The next number of a queue that somebody asks for. It is held until the transaction ends, so that who reads up to a number
 * has seen all before it. */
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

/** False when it is there already, under its name or with the same bytes. */
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

/** The newest one of before. */
export const selectOlder = (sql: Sql, organizationId: string, before: number) =>
  tenant(sql, organizationId)
    .select('cloud_deliveries')
    .select('seq')
    .where('createdAt', '<', before)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Whoever has not got these by now is told that something is missing. */
export async function dropUpTo(sql: Sql, organizationId: string, seq: number): Promise<void> {
  const own = tenant(sql, organizationId);
  await own.delete('cloud_deliveries').where('seq', '<=', seq).execute();
  await own.update('cloud_queues', { droppedSeq: seq }).where('droppedSeq', '<', seq).execute();
}

export async function deleteQueue(sql: Sql, organizationId: string): Promise<void> {
  await tenant(sql, organizationId).delete('cloud_deliveries').execute();
  await tenant(sql, organizationId).delete('cloud_queues').execute();
}

/** Which of these somebody asks for. */
export const selectAsking = async (sql: Sql, organizationIds: string[], since: number): Promise<string[]> =>
  (
    await sql
      .selectFrom('cloud_queues')
      .select('organizationId')
      .where('organizationId', 'in', organizationIds.length ? organizationIds : [''])
      .where('askedAt', '>=', since)
      .execute()
  ).map((row) => row.organizationId);

/** Retention is the cloud's, whosever they are. */
export const selectQueues = (sql: Sql) => sql.selectFrom('cloud_queues').selectAll().execute();
