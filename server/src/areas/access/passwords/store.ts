import type { Sql } from '../../../db/database.ts';

/** One open link for a user: a new one replaces the old. */
export const upsertReset = (sql: Sql, reset: { hash: string; user_id: string; expires_at: number }) =>
  sql
    .insertInto('password_resets')
    .values(reset)
    .onConflict((row) => row.column('user_id').doUpdateSet({ hash: reset.hash, expires_at: reset.expires_at }))
    .execute();

export const selectReset = (sql: Sql, hash: string) =>
  sql
    .selectFrom('password_resets')
    .innerJoin('users', 'users.id', 'password_resets.user_id')
    .select(['users.id', 'users.email'])
    .where('password_resets.hash', '=', hash)
    .where('password_resets.expires_at', '>', Date.now())
    .executeTakeFirst();

export const deleteReset = (sql: Sql, hash: string) =>
  sql.deleteFrom('password_resets').where('hash', '=', hash).executeTakeFirst();

export const deleteResetsOf = (sql: Sql, userId: string) =>
  sql.deleteFrom('password_resets').where('user_id', '=', userId).execute();
