import type { Sql } from '../../../db/database.ts';
import type { ProjectTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export function selectProjects(sql: Sql, organizationId: string, ids: 'all' | string[]): Promise<ProjectTable[]> {
  const all = tenant(sql, organizationId).select('projects').selectAll().orderBy('name').orderBy('id');
  return (ids === 'all' ? all : all.where('id', 'in', ids.length ? ids : [''])).execute();
}

export const selectProject = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).select('projects').selectAll().where('id', '=', id).executeTakeFirst();

/** Those of the ids that are projects of the organization. */
export async function selectKnownProjects(sql: Sql, organizationId: string, ids: string[]): Promise<Set<string>> {
  const rows = await tenant(sql, organizationId).select('projects').select('id').where('id', 'in', ids).execute();
  return new Set(rows.map(({ id }) => id));
}

export const selectProjectByName = (sql: Sql, organizationId: string, name: string) =>
  tenant(sql, organizationId).select('projects').selectAll().where('name', '=', name).executeTakeFirst();

export const insertProject = (sql: Sql, { organization_id, ...project }: ProjectTable) =>
  tenant(sql, organization_id).insert('projects', project).execute();

export const updateProject = (sql: Sql, { organization_id, id, ...change }: ProjectTable) =>
  tenant(sql, organization_id).update('projects', change).where('id', '=', id).execute();

export const deleteProject = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).delete('projects').where('id', '=', id).executeTakeFirst();

/** Holds one project for the rest of the transaction; an update locks on both databases. False when it is gone. */
export async function lockProject(sql: Sql, organizationId: string, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('projects', {})
    .set((eb) => ({ name: eb.ref('projects.name') }))
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Holds everybody else who names or numbers a project: slugs and numbers are the instance's, not an organization's. */
export const lockNames = (sql: Sql) =>
  sql
    .updateTable('instance')
    .set((eb) => ({ owner_user_id: eb.ref('owner_user_id') }))
    .execute();

/** Slugs of all organizations that begin with this. A slug has no wildcards in it. */
export async function selectSlugs(sql: Sql, stem: string): Promise<Set<string>> {
  const rows = await sql.selectFrom('projects').select('slug').where('slug', 'like', `${stem}%`).execute();
  return new Set(rows.map(({ slug }) => slug));
}

export async function nextNumber(sql: Sql): Promise<number> {
  const row = await sql
    .selectFrom('projects')
    .select((eb) => eb.fn.max('number').as('highest'))
    .executeTakeFirst();
  return (row?.highest ?? 0) + 1;
}
