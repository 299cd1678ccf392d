import type { Sql } from '../../../db/database.ts';
import type { GithostSignInTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export const insertSignIn = (sql: Sql, { organizationId, ...row }: GithostSignInTable) =>
  tenant(sql, organizationId).insert('githost_sign_ins', row).execute();

/** The browser comes back without a session: what it brings is all that there is to find it by. */
export const selectByState = (sql: Sql, stateHash: string) =>
  sql.selectFrom('githost_sign_ins').selectAll().where('stateHash', '=', stateHash).executeTakeFirst();

/** True for one of all who try. */
export async function claimSignIn(sql: Sql, organizationId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tenant(sql, organizationId)
    .delete('githost_sign_ins')
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export const selectDeviceSignIn = (sql: Sql, organizationId: string, userId: string) =>
  tenant(sql, organizationId)
    .select('githost_sign_ins')
    .selectAll()
    .where('userId', '=', userId)
    .where('kind', '=', 'device')
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

/** True for the one whose turn it is to look at the host, on all replicas together. */
export async function claimPoll(sql: Sql, { organizationId, id, intervalMs }: GithostSignInTable, now: number) {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('githost_sign_ins', { nextPollAt: now + intervalMs! })
    .where('id', '=', id)
    .where('outcome', 'is', null)
    .where('nextPollAt', '<=', now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const updatePace = (sql: Sql, organizationId: string, id: string, intervalMs: number, nextPollAt: number) =>
  tenant(sql, organizationId).update('githost_sign_ins', { intervalMs, nextPollAt }).where('id', '=', id).execute();

/** What became of it; the code is of no use any more. True for the first who says so. */
export async function settle(
  sql: Sql,
  organizationId: string,
  id: string,
  outcome: NonNullable<GithostSignInTable['outcome']>,
): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('githost_sign_ins', { outcome, secret: null })
    .where('id', '=', id)
    .where('outcome', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const deleteSignIns = (sql: Sql, organizationId: string, kinds: GithostSignInTable['kind'][]) =>
  tenant(sql, organizationId).delete('githost_sign_ins').where('kind', 'in', kinds).execute();

export const deleteDeviceSignIns = (sql: Sql, organizationId: string, userId: string) =>
  tenant(sql, organizationId)
    .delete('githost_sign_ins')
    .where('userId', '=', userId)
    .where('kind', '=', 'device')
    .execute();

/** Only the newest of a person's stay: whoever begins again and again fills no table. */
export async function deleteCrowd(sql: Sql, organizationId: string, userId: string, most: number): Promise<void> {
  const own = tenant(sql, organizationId);
  const crowd = await own
    .select('githost_sign_ins')
    .select('id')
    .where('userId', '=', userId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .offset(most)
    .limit(1000)
    .execute();
  const ids = crowd.map(({ id }) => id);
  if (ids.length) await own.delete('githost_sign_ins').where('id', 'in', ids).execute();
}

export const deleteSignInsBefore = (sql: Sql, at: number) =>
  sql.deleteFrom('githost_sign_ins').where('expiresAt', '<=', at).execute();
