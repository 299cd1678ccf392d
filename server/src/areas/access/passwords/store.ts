import type { Sql } from '../../../db/database.ts';

/** One link per user: a new one replaces the old. */
export const upsertReset = (sql: Sql, reset: { hash: string; userId: string; expiresAt: number }) =>
  sql
    .insertInto('password_resets')
    .values(reset)
    .onConflict((row) => row.column('userId').doUpdateSet({ hash: reset.hash, expiresAt: reset.expiresAt }))
    .execute();

export const selectReset = (sql: Sql, hash: string) =>
  sql
    .selectFrom('password_resets')
    .innerJoin('users', 'users.id', 'password_resets.userId')
    .select(['users.id', 'users.email'])
    .where('password_resets.hash', '=', hash)
    .where('password_resets.expiresAt', '>', Date.now())
    .executeTakeFirst();

export const deleteReset = (sql: Sql, hash: string) =>
  sql.deleteFrom('password_resets').where('hash', '=', hash).executeTakeFirst();

export const deleteResetsOf = (sql: Sql, userId: string) =>
  sql.deleteFrom('password_resets').where('userId', '=', userId).execute();
