import type { Sql } from '../../../db/database.ts';
import type { GithostSignInTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export const insertSignIn = (sql: Sql, { organizationId, ...row }: GithostSignInTable) =>
  tenant(sql, organizationId).insert('githost_sign_ins', row).execute();

/** Not scoped to a tenant: the browser has no session, only the state. */
export const selectSignInByState = (sql: Sql, stateHash: string) =>
  sql.selectFrom('githost_sign_ins').selectAll().where('stateHash', '=', stateHash).executeTakeFirst();

/** Deletes the sign-in; true for exactly one of several concurrent callers. */
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

/** Claims the next poll; true for one caller across all replicas. */
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

/** Stores the outcome and deletes the code. True for the first caller only. */
export async function settleSignIn(
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

/** Keeps only the newest sign-ins of a user, so that the table cannot be flooded. */
export async function deleteOlderSignIns(
  sql: Sql,
  organizationId: string,
  userId: string,
  most: number,
): Promise<void> {
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
