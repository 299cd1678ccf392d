import type { Trx } from '../../../db/database.ts';
import { tenant } from '../../../db/tenant.ts';
import { AppError } from '../../../errors.ts';

/** Throws if the organization has reached its limit. The caller holds the name lock, so the count cannot change. */
export async function requireProjectQuota(trx: Trx, organizationId: string, most: number): Promise<void> {
  const { count } = await tenant(trx, organizationId)
    .select('projects')
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  if (Number(count) < most) return;
  const projects = most === 1 ? '1 project' : `${most} projects`;
  throw new AppError('limit_reached', `Your organization has reached its limit of ${projects}. Delete one first.`);
}
