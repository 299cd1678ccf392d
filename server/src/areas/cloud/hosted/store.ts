import type { Sql } from '../../../db/database.ts';
import type { CloudPromotionTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export const selectPromotion = (sql: Sql, organizationId: string, key: string) =>
  tenant(sql, organizationId).select('cloud_promotions').selectAll().where('key', '=', key).executeTakeFirst();

/** False if another request with the same key is being handled. */
export async function insertPromotion(sql: Sql, { organizationId, ...row }: CloudPromotionTable): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tenant(sql, organizationId)
    .insert('cloud_promotions', row)
    .onConflict((conflict) => conflict.columns(['organizationId', 'key']).doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export const deletePromotionsBefore = (sql: Sql, organizationId: string, time: number) =>
  tenant(sql, organizationId).delete('cloud_promotions').where('createdAt', '<', time).execute();
