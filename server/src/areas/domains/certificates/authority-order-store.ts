import type { Sql } from '../../../db/database.ts';
import type { AuthorityOrderTable } from '../../../db/tables.ts';

export type AuthorityOrder = AuthorityOrderTable;

export const insertAuthorityOrder = (sql: Sql, row: AuthorityOrder) =>
  sql.insertInto('authority_orders').values(row).execute();

export const markOrderIssued = (sql: Sql, id: string) =>
  sql.updateTable('authority_orders').set({ isIssued: 1 }).where('id', '=', id).execute();

export const deleteAuthorityOrder = (sql: Sql, id: string) =>
  sql.deleteFrom('authority_orders').where('id', '=', id).execute();

export const deleteAuthorityOrdersBefore = (sql: Sql, time: number) =>
  sql.deleteFrom('authority_orders').where('orderedAt', '<', time).execute();

type Which = { reasons: AuthorityOrder['reason'][]; since: number; most: number; isIssued?: true; isBelow?: true };

/** Returns the newest matching orders, at most `most`. */
export function selectAuthorityOrders(
  sql: Sql,
  whose: Partial<Pick<AuthorityOrder, 'name' | 'organizationId'>>,
  { reasons, since, most, isIssued, isBelow }: Which,
): Promise<Pick<AuthorityOrder, 'orderedAt'>[]> {
  return sql
    .selectFrom('authority_orders')
    .select('orderedAt')
    .where((eb) => eb.and({ ...whose, ...(isIssued && { isIssued: 1 }), ...(isBelow && { isBelow: 1 }) }))
    .where('reason', 'in', reasons)
    .where('orderedAt', '>', since)
    .orderBy('orderedAt', 'desc')
    .limit(most)
    .execute();
}
