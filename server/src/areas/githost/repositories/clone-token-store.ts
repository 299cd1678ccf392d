import type { Sql } from '../../../db/database.ts';
import type { GithostCloneTokenTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export const insertCloneToken = (sql: Sql, { organization_id, ...row }: GithostCloneTokenTable) =>
  tenant(sql, organization_id).insert('githost_clone_tokens', row).execute();

export const selectCloneTokens = (sql: Sql, organizationId: string): Promise<GithostCloneTokenTable[]> =>
  tenant(sql, organizationId).select('githost_clone_tokens').selectAll().execute();

export const deleteCloneToken = (sql: Sql, { organization_id, id }: GithostCloneTokenTable) =>
  tenant(sql, organization_id).delete('githost_clone_tokens').where('id', '=', id).execute();

/** Whosever they are: those that are to be ended by now. */
export const selectDueCloneTokens = (sql: Sql, now: number, most: number): Promise<GithostCloneTokenTable[]> =>
  sql
    .selectFrom('githost_clone_tokens')
    .selectAll()
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(most)
    .execute();
