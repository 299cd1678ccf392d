import type { Sql } from '../../../db/database.ts';
import type { UserTable } from '../../../db/tables.ts';

// Users belong to the instance and are members of organizations, so these queries have no organization to be bound to.

export const selectUserByEmail = (sql: Sql, email: string) =>
  sql.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();

export const selectUser = (sql: Sql, id: string) =>
  sql.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();

export const insertUser = (sql: Sql, user: UserTable) => sql.insertInto('users').values(user).execute();

export const updatePassword = (sql: Sql, id: string, passwordHash: string) =>
  sql.updateTable('users').set({ passwordHash }).where('id', '=', id).execute();

export const selectInstance = (sql: Sql) => sql.selectFrom('instance').selectAll().executeTakeFirst();
