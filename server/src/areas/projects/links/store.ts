import type { Sql } from '../../../db/database.ts';
import type { ProjectLinkTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export type LinkRow = ProjectLinkTable;

export const selectLink = (sql: Sql, organizationId: string, projectId: string): Promise<LinkRow | undefined> =>
  tenant(sql, organizationId)
    .select('project_links')
    .selectAll()
    .where('project_id', '=', projectId)
    .executeTakeFirst();

export const insertLink = (sql: Sql, { organization_id, ...link }: LinkRow) =>
  tenant(sql, organization_id).insert('project_links', link).execute();

/** Of that link, and not of one that took its place: asking the host takes a while, in which a project may be linked anew. */
export const updateLink = (sql: Sql, { organization_id, project_id, created_at }: LinkRow, change: Partial<LinkRow>) =>
  tenant(sql, organization_id)
    .update('project_links', change)
    .where('project_id', '=', project_id)
    .where('created_at', '=', created_at)
    .execute();

export const deleteLink = (sql: Sql, organizationId: string, projectId: string) =>
  tenant(sql, organizationId).delete('project_links').where('project_id', '=', projectId).execute();

export const selectLinksOf = (sql: Sql, organizationId: string, repositoryId: number): Promise<LinkRow[]> =>
  tenant(sql, organizationId)
    .select('project_links')
    .selectAll()
    .where('repository_id', '=', repositoryId)
    .orderBy('project_id')
    .execute();

/** Takes a commit as seen, if nobody has since the link was read: of however many who find a push, one deploys it. */
export async function seeCommit(
  sql: Sql,
  { organization_id, project_id, repository_id, seen_branch, seen_commit }: LinkRow,
  branch: string,
  commit: string | null,
): Promise<boolean> {
  let query = tenant(sql, organization_id)
    .update('project_links', { seen_branch: branch, seen_commit: commit, seen_at: Date.now() })
    .where('project_id', '=', project_id);
  for (const [column, value] of Object.entries({ repository_id, seen_branch, seen_commit })) {
    const name = column as 'seen_commit';
    query = value === null ? query.where(name, 'is', null) : query.where(name, '=', value as string);
  }
  return (await query.executeTakeFirst()).numUpdatedRows > 0n;
}

// A repository is the host's: who follows it is asked before there is an organization.

export async function selectFollowers(sql: Sql, repositoryId: number): Promise<string[]> {
  const rows = await sql
    .selectFrom('project_links')
    .select('organization_id')
    .distinct()
    .where('repository_id', '=', repositoryId)
    .execute();
  return rows.map(({ organization_id }) => organization_id);
}

export const markHeard = (sql: Sql, repositoryId: number, at: number | null) =>
  sql.updateTable('project_links').set({ heard_at: at }).where('repository_id', '=', repositoryId).execute();

/** Links of projects that deploy by themselves and whose time has come, the longest waiting first. */
export const selectDue = (sql: Sql, now: number, limit: number): Promise<LinkRow[]> =>
  sql
    .selectFrom('project_links')
    .innerJoin('projects', 'projects.id', 'project_links.project_id')
    .selectAll('project_links')
    .where('projects.auto_deploy', '=', 1)
    .where('projects.deleting_at', 'is', null)
    .where('project_links.next_check_at', '<=', now)
    .orderBy('project_links.next_check_at')
    .orderBy('project_links.project_id')
    .limit(limit)
    .execute();

/** Only one of several replicas gets it. */
export async function takeDue(
  sql: Sql,
  { organization_id, project_id, next_check_at }: LinkRow,
  nextAt: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organization_id)
    .update('project_links', { next_check_at: nextAt })
    .where('project_id', '=', project_id)
    .where('next_check_at', '=', next_check_at)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Everything is looked at as soon as there is time for it. */
export const allDue = (sql: Sql) =>
  sql.updateTable('project_links').set({ next_check_at: 0 }).where('next_check_at', '>', 0).execute();

/** The same for one organization, when it is known that something was not told. */
export const allDueOf = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId).update('project_links', { next_check_at: 0 }).where('next_check_at', '>', 0).execute();
