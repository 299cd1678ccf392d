import type { Sql } from '../../../db/database.ts';
import type { GithostHookTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export const selectHook = (sql: Sql, organizationId: string, repositoryId: number) =>
  tenant(sql, organizationId)
    .select('githost_hooks')
    .selectAll()
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();

export const insertHook = (sql: Sql, { organization_id, ...hook }: GithostHookTable) =>
  tenant(sql, organization_id).insert('githost_hooks', hook).execute();

export const deleteHook = (sql: Sql, organizationId: string, repositoryId: number) =>
  tenant(sql, organizationId).delete('githost_hooks').where('repository_id', '=', repositoryId).execute();

// The host has one hook for the whole instance, whoever asked for it.

export const selectHooksOf = (sql: Sql, repositoryId: number): Promise<GithostHookTable[]> =>
  sql.selectFrom('githost_hooks').selectAll().where('repository_id', '=', repositoryId).orderBy('id').execute();

export const updateHooksOf = (sql: Sql, repositoryId: number, hookId: number | null, at: number) =>
  sql
    .updateTable('githost_hooks')
    .set({ hook_id: hookId, updated_at: at })
    .where('repository_id', '=', repositoryId)
    .execute();
