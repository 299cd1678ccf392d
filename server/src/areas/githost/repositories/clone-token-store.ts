import type { Sql } from '../../../db/database.ts';
import type { GithostCloneTokenTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export const insertCloneToken = (sql: Sql, { organizationId, ...row }: GithostCloneTokenTable) =>
  tenant(sql, organizationId).insert('githost_clone_tokens', row).execute();

export const selectCloneTokens = (sql: Sql, organizationId: string): Promise<GithostCloneTokenTable[]> =>
  tenant(sql, organizationId).select('githost_clone_tokens').selectAll().execute();

export const deleteCloneToken = (sql: Sql, { organizationId, id }: GithostCloneTokenTable) =>
  tenant(sql, organizationId).delete('githost_clone_tokens').where('id', '=', id).execute();

/** Not scoped to a tenant: clone tokens that are due to be revoked. */
export const selectDueCloneTokens = (sql: Sql, now: number, most: number): Promise<GithostCloneTokenTable[]> =>
  sql
    .selectFrom('githost_clone_tokens')
    .selectAll()
    .where('expiresAt', '<=', now)
    .orderBy('expiresAt')
    .limit(most)
    .execute();
