import type { Sql } from '../../../db/database.ts';
import type { UserTable } from '../../../db/tables.ts';

// Not scoped to a tenant: users belong to the instance.

export const selectUserByEmail = (sql: Sql, email: string) =>
  sql.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();

export const selectUser = (sql: Sql, id: string) =>
  sql.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();

export const insertUser = (sql: Sql, user: UserTable) => sql.insertInto('users').values(user).execute();

export const updatePassword = (sql: Sql, id: string, passwordHash: string) =>
  sql.updateTable('users').set({ passwordHash }).where('id', '=', id).execute();

export const selectInstance = (sql: Sql) => sql.selectFrom('instance').selectAll().executeTakeFirst();
