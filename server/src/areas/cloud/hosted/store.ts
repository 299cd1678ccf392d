import type { Sql } from '../../../db/database.ts';
import type { CloudPromotionTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export const selectPromotion = (sql: Sql, organizationId: string, key: string) =>
  tenant(sql, organizationId).select('cloud_promotions').selectAll().where('key', '=', key).executeTakeFirst();

/** False when the same call is being answered already. */
export async function insertPromotion(sql: Sql, { organization_id, ...row }: CloudPromotionTable): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tenant(sql, organization_id)
    .insert('cloud_promotions', row)
    .onConflict((conflict) => conflict.columns(['organization_id', 'key']).doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export const deletePromotionsBefore = (sql: Sql, organizationId: string, time: number) =>
  tenant(sql, organizationId).delete('cloud_promotions').where('created_at', '<', time).execute();
