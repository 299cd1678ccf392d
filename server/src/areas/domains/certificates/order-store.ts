import type { ExpressionBuilder } from 'kysely';
import { databaseNow } from '../../../db/clock.ts';
import type { DatabaseKind, Db, Sql } from '../../../db/database.ts';
import type { CertificateOrderTable, Tables } from '../../../db/tables.ts';
import type { CertificateOwner } from './certificate-names-port.ts';
import { orderError } from './schemas.ts';

// Claims, leases and fences of orders. Workers are bound by the fence of their lease, not by a tenant.

export type OrderRow = CertificateOrderTable;

export const orderLeaseMs = 15_000;

export const selectOrder = (sql: Sql, name: string) =>
  sql.selectFrom('certificate_orders').selectAll().where('name', '=', name).executeTakeFirst();

export type OrderState = Pick<OrderRow, 'status' | 'fence'>;

export async function selectOrderStates(sql: Sql): Promise<Map<string, OrderState>> {
  const rows = await sql.selectFrom('certificate_orders').select(['name', 'status', 'fence']).execute();
  return new Map(rows.map(({ name, ...state }) => [name, state]));
}

const rowOf = ({ name, organizationId, projectId }: CertificateOwner, status: 'waiting' | 'done'): OrderRow => ({
  name,
  organizationId,
  projectId,
  status,
  attempts: 0,
  nextAt: 0,
  error: null,
  owner: null,
  fence: 0,
  leaseUntil: null,
  updatedAt: Date.now(),
});

/** Requests a new certificate, unless the order has changed since it was `seen`. */
export async function wantOrder(sql: Sql, owned: CertificateOwner, seen: OrderState | undefined): Promise<void> {
  if (!seen) {
    await insertOrder(sql, rowOf(owned, 'waiting'));
    return;
  }
  await sql
    .updateTable('certificate_orders')
    .set({ status: 'waiting', attempts: 0, nextAt: 0, error: null, updatedAt: Date.now() })
    .where('name', '=', owned.name)
    .where('status', '=', 'done')
    .where('fence', '=', seen.fence)
    .execute();
}

const insertOrder = (sql: Sql, row: OrderRow) =>
  sql
    .insertInto('certificate_orders')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();

/** Returns the order of a name, created as `done` if there is none. */
export async function ensureOrder(sql: Sql, owned: CertificateOwner): Promise<OrderRow> {
  await insertOrder(sql, rowOf(owned, 'done'));
  return (await selectOrder(sql, owned.name))!;
}

type Orders = ExpressionBuilder<Tables, 'certificate_orders'>;

/** The worker has died, or was this one before a restart. */
const isAbandoned = (eb: Orders, kind: DatabaseKind, owner: string, held: string[]) =>
  eb.and([
    eb('status', '=', 'running'),
    eb.or([eb('leaseUntil', '<', databaseNow(kind)), eb('owner', '=', owner)]),
    eb('name', 'not in', held.length ? held : ['']),
  ]);

const isDue = (eb: Orders, kind: DatabaseKind) =>
  eb.and([eb('status', 'in', ['waiting', 'failed']), eb('nextAt', '<=', databaseNow(kind))]);

/** Returns the name of the next order to work on, the longest-waiting one first. */
export async function selectNextOrder(
  db: Db,
  kind: DatabaseKind,
  owner: string,
  held: string[],
): Promise<string | undefined> {
  const row = await db
    .selectFrom('certificate_orders')
    .select('name')
    .where((eb) => eb.or([isDue(eb, kind), isAbandoned(eb, kind, owner, held)]))
    .orderBy('nextAt')
    .orderBy('name')
    .limit(1)
    .executeTakeFirst();
  return row?.name;
}

type Claim = {
  name: string;
  owner: string;
  /** Orders that this worker is working on. */
  held: string[];
  /**
   * Orders that may be claimed besides abandoned ones: those that are due, none, or one unchanged since that fence.
   */
  also: 'due' | 'none' | { fence: number };
};

/** Claims the order for this worker. */
export function claimOrder(
  db: Db,
  kind: DatabaseKind,
  { name, owner, held, also }: Claim,
): Promise<OrderRow | undefined> {
  const isWanted = (eb: Orders) => {
    if (also === 'due') return isDue(eb, kind);
    if (also === 'none') return eb.lit(false);
    return eb.and([eb('status', '!=', 'running'), eb('fence', '=', also.fence)]);
  };
  return db
    .updateTable('certificate_orders')
    .set({ status: 'running', owner, updatedAt: Date.now() })
    .set((eb) => ({ fence: eb('fence', '+', 1), leaseUntil: eb(databaseNow(kind), '+', orderLeaseMs) }))
    .where('name', '=', name)
    .where((eb) => eb.or([isWanted(eb), isAbandoned(eb, kind, owner, held)]))
    .returningAll()
    .executeTakeFirst();
}

/**
 * Compares the project as well: a name that moved to another project has a new order there, whose fence may be equal.
 */
const isSame = (eb: Orders, { name, fence, projectId }: OrderRow) => eb.and({ name, fence, projectId });

export async function renewOrder(db: Db, kind: DatabaseKind, order: OrderRow): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('certificate_orders')
    .set((eb) => ({ leaseUntil: eb(databaseNow(kind), '+', orderLeaseMs) }))
    .where((eb) => isSame(eb, order))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

type End = { status: 'done' | 'failed'; attempts: number; error: string | null; pauseMs: number };

/** Stores the outcome under the fence; false if another worker holds the order. */
export async function endOrder(
  sql: Sql,
  kind: DatabaseKind,
  order: OrderRow,
  { pauseMs, ...end }: End,
): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('certificate_orders')
    .set({ ...end, owner: null, leaseUntil: null, updatedAt: Date.now() })
    .set((eb) => ({ nextAt: eb(databaseNow(kind), '+', pauseMs) }))
    .where((eb) => isSame(eb, order))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Makes an order due now that failed with `not_pointing`; false for any other order. */
export async function retryPointed(sql: Sql, name: string): Promise<boolean> {
  const order = await selectOrder(sql, name);
  if (order?.status !== 'failed' || orderError(order)?.code !== 'not_pointing') return false;
  const { numUpdatedRows } = await sql
    .updateTable('certificate_orders')
    .set({ status: 'waiting', attempts: 0, nextAt: 0, error: null, updatedAt: Date.now() })
    .where((eb) => isSame(eb, order))
    .where('status', '=', 'failed')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deletes the order, under the fence. */
export const dropOrder = (sql: Sql, order: OrderRow) =>
  sql
    .deleteFrom('certificate_orders')
    .where((eb) => isSame(eb, order))
    .execute();
