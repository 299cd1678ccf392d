import type { Sql } from '../../../db/database.ts';
import type { GithostHookTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export const selectHook = (sql: Sql, organizationId: string, repositoryId: number) =>
  tenant(sql, organizationId)
    .select('githost_hooks')
    .selectAll()
    .where('repositoryId', '=', repositoryId)
    .executeTakeFirst();

export const insertHook = (sql: Sql, { organizationId, ...hook }: GithostHookTable) =>
  tenant(sql, organizationId).insert('githost_hooks', hook).execute();

export const deleteHookRow = (sql: Sql, organizationId: string, repositoryId: number) =>
  tenant(sql, organizationId).delete('githost_hooks').where('repositoryId', '=', repositoryId).execute();

// Not scoped to a tenant: the git host has one webhook for the whole instance.

export const selectHooksOf = (sql: Sql, repositoryId: number): Promise<GithostHookTable[]> =>
  sql.selectFrom('githost_hooks').selectAll().where('repositoryId', '=', repositoryId).orderBy('id').execute();

export const updateHooksOf = (sql: Sql, repositoryId: number, hookId: number | null, at: number) =>
  sql.updateTable('githost_hooks').set({ hookId, updatedAt: at }).where('repositoryId', '=', repositoryId).execute();
