import type { ExpressionBuilder } from 'kysely';
import { databaseNow } from '../../../db/clock.ts';
import type { DatabaseKind, Db, Sql } from '../../../db/database.ts';
import type { CertificateOrderTable, Tables } from '../../../db/tables.ts';
import type { OwnedName } from './names-port.ts';
import { orderError } from './schemas.ts';

// Who works on which order: claims, leases and fences. A worker is bound by the fence of the lease that it holds, and not by a
// caller's organization.

export type OrderRow = CertificateOrderTable;

export const orderLeaseMs = 15_000;

export const selectOrder = (sql: Sql, name: string) =>
  sql.selectFrom('certificate_orders').selectAll().where('name', '=', name).executeTakeFirst();

export type OrderState = Pick<OrderRow, 'status' | 'fence'>;

export async function selectOrderStates(sql: Sql): Promise<Map<string, OrderState>> {
  const rows = await sql.selectFrom('certificate_orders').select(['name', 'status', 'fence']).execute();
  return new Map(rows.map(({ name, ...state }) => [name, state]));
}

const rowOf = ({ name, organizationId, projectId }: OwnedName, status: 'waiting' | 'done'): OrderRow => ({
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

/** There is to be a new certificate, unless somebody has ordered one since the order was `seen` like that. */
export async function wantOrder(sql: Sql, owned: OwnedName, seen: OrderState | undefined): Promise<void> {
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

/** The order of a name as it is now; one that nobody has begun if there was none. */
export async function ensureOrder(sql: Sql, owned: OwnedName): Promise<OrderRow> {
  await insertOrder(sql, rowOf(owned, 'done'));
  return (await selectOrder(sql, owned.name))!;
}

type Orders = ExpressionBuilder<Tables, 'certificate_orders'>;

/** Its worker has died, or was this one before a restart. */
const isAbandoned = (eb: Orders, kind: DatabaseKind, owner: string, held: string[]) =>
  eb.and([
    eb('status', '=', 'running'),
    eb.or([eb('leaseUntil', '<', databaseNow(kind)), eb('owner', '=', owner)]),
    eb('name', 'not in', held.length ? held : ['']),
  ]);

const isDue = (eb: Orders, kind: DatabaseKind) =>
  eb.and([eb('status', 'in', ['waiting', 'failed']), eb('nextAt', '<=', databaseNow(kind))]);

/** The name of an order that somebody has to work on, the one that waits longest first. */
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
  /** Those that this worker works on. */
  held: string[];
  /** Beside one that was abandoned: one that is due, none, or any that nobody has taken since it had that fence. */
  also: 'due' | 'none' | { fence: number };
};

/** Takes the order for this worker alone. */
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

/** A name that has gone to another project has an order of its own there, which may have come to the same fence. */
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

/** Writes what came of it, under the fence; false when another worker has it. */
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

/** The name points here now: an order that failed because it did not is due at once. False for any other. */
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

/** Nobody wants it any more; under the fence. */
export const dropOrder = (sql: Sql, order: OrderRow) =>
  sql
    .deleteFrom('certificate_orders')
    .where((eb) => isSame(eb, order))
    .execute();
