import type { Sql } from '../../../db/database.ts';
import type { ProjectLinkTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export type LinkRow = ProjectLinkTable;

export const selectLink = (sql: Sql, organizationId: string, projectId: string): Promise<LinkRow | undefined> =>
  tenant(sql, organizationId).select('project_links').selectAll().where('projectId', '=', projectId).executeTakeFirst();

export const insertLink = (sql: Sql, { organizationId, ...link }: LinkRow) =>
  tenant(sql, organizationId).insert('project_links', link).execute();

/** Updates only this link, not a newer one: the project may be linked again while the git host responds. */
export const updateLink = (sql: Sql, { organizationId, projectId, createdAt }: LinkRow, change: Partial<LinkRow>) =>
  tenant(sql, organizationId)
    .update('project_links', change)
    .where('projectId', '=', projectId)
    .where('createdAt', '=', createdAt)
    .execute();

export const deleteLink = (sql: Sql, organizationId: string, projectId: string) =>
  tenant(sql, organizationId).delete('project_links').where('projectId', '=', projectId).execute();

export const selectLinksOf = (sql: Sql, organizationId: string, repositoryId: number): Promise<LinkRow[]> =>
  tenant(sql, organizationId)
    .select('project_links')
    .selectAll()
    .where('repositoryId', '=', repositoryId)
    .orderBy('projectId')
    .execute();

/** Marks a commit as seen if the link is unchanged: of several that find a push, only one deploys it. */
export async function markCommitSeen(
  sql: Sql,
  { organizationId, projectId, repositoryId, seenBranch, seenCommit }: LinkRow,
  branch: string,
  commit: string | null,
): Promise<boolean> {
  let query = tenant(sql, organizationId)
    .update('project_links', { seenBranch: branch, seenCommit: commit, seenAt: Date.now() })
    .where('projectId', '=', projectId);
  for (const [column, value] of Object.entries({ repositoryId, seenBranch, seenCommit })) {
    const name = column as 'seenCommit';
    query = value === null ? query.where(name, 'is', null) : query.where(name, '=', value as string);
  }
  return (await query.executeTakeFirst()).numUpdatedRows > 0n;
}

// Not scoped to a tenant: a webhook names the repository only.

export async function selectFollowers(sql: Sql, repositoryId: number): Promise<string[]> {
  const rows = await sql
    .selectFrom('project_links')
    .select('organizationId')
    .distinct()
    .where('repositoryId', '=', repositoryId)
    .execute();
  return rows.map(({ organizationId }) => organizationId);
}

export const updateHeardAt = (sql: Sql, repositoryId: number, at: number | null) =>
  sql.updateTable('project_links').set({ heardAt: at }).where('repositoryId', '=', repositoryId).execute();

/** Returns due links of projects with auto-deploy, the longest-waiting first, without those of `paused` organizations. */
export const selectDueLinks = (sql: Sql, now: number, limit: number, paused: string[]): Promise<LinkRow[]> =>
  sql
    .selectFrom('project_links')
    .innerJoin('projects', 'projects.id', 'project_links.projectId')
    .selectAll('project_links')
    .where('projects.autoDeploy', '=', 1)
    .where('projects.deletingAt', 'is', null)
    .where('project_links.nextCheckAt', '<=', now)
    .$if(paused.length > 0, (query) => query.where('project_links.organizationId', 'not in', paused))
    .orderBy('project_links.nextCheckAt')
    .orderBy('project_links.projectId')
    .limit(limit)
    .execute();

/** True for one replica only. */
export async function claimDueLinks(
  sql: Sql,
  { organizationId, projectId, nextCheckAt }: LinkRow,
  nextAt: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('project_links', { nextCheckAt: nextAt })
    .where('projectId', '=', projectId)
    .where('nextCheckAt', '=', nextCheckAt)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Makes all links due. */
export const makeAllLinksDue = (sql: Sql) =>
  sql.updateTable('project_links').set({ nextCheckAt: 0 }).where('nextCheckAt', '>', 0).execute();

/** Makes the links of one organization due, after missed deliveries. */
export const makeLinksDue = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId).update('project_links', { nextCheckAt: 0 }).where('nextCheckAt', '>', 0).execute();
