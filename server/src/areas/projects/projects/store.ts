import type { Sql, Trx } from '../../../db/database.ts';
import type { ProjectTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export function selectProjects(sql: Sql, organizationId: string, ids: 'all' | string[]): Promise<ProjectTable[]> {
  const all = tenant(sql, organizationId).select('projects').selectAll().orderBy('name').orderBy('id');
  return (ids === 'all' ? all : all.where('id', 'in', ids.length ? ids : [''])).execute();
}

export const selectProject = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).select('projects').selectAll().where('id', '=', id).executeTakeFirst();

/** Returns the ids that are projects of the organization. */
export async function selectKnownProjects(sql: Sql, organizationId: string, ids: string[]): Promise<Set<string>> {
  const rows = await tenant(sql, organizationId).select('projects').select('id').where('id', 'in', ids).execute();
  return new Set(rows.map(({ id }) => id));
}

export const selectProjectByName = (sql: Sql, organizationId: string, name: string) =>
  tenant(sql, organizationId).select('projects').selectAll().where('name', '=', name).executeTakeFirst();

export const insertProject = (sql: Sql, { organizationId, ...project }: ProjectTable) =>
  tenant(sql, organizationId).insert('projects', project).execute();

export const updateProject = (sql: Sql, { organizationId, id, ...change }: ProjectTable) =>
  tenant(sql, organizationId).update('projects', change).where('id', '=', id).execute();

/** Seal location of the services document. */
export const servicesSealLocation = (row: string) => ({ table: 'projects', column: 'services', row });

export const moveProject = async (
  sql: Sql,
  organizationId: string,
  id: string,
  serverId: string | null,
): Promise<void> => {
  await tenant(sql, organizationId).update('projects', { serverId }).where('id', '=', id).execute();
};

/** Moves all projects, and the archives that are on their way, from a server to another one. */
export async function moveAllProjects(trx: Trx, organizationId: string, from: string, serverId: string): Promise<void> {
  const own = tenant(trx, organizationId);
  await own.update('projects', { serverId }).where('serverId', '=', from).execute();
  await own.update('uploads', { serverId }).where('serverId', '=', from).execute();
}

export const selectProjectsOn = (sql: Sql, organizationId: string, serverId: string) =>
  tenant(sql, organizationId)
    .select('projects')
    .select('name')
    .where('serverId', '=', serverId)
    .orderBy('name')
    .limit(6)
    .execute();

/** Returns the projects that run in the cloud. */
export const selectProjectsThere = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId)
    .select('projects')
    .select(['id', 'name', 'cloudAt'])
    .where('cloudState', '=', 'there')
    .orderBy('name')
    .execute();

/** Returns the ids of projects that are or were in the cloud. */
export async function selectCloudProjects(sql: Sql, organizationId: string): Promise<Set<string>> {
  const rows = await tenant(sql, organizationId)
    .select('projects')
    .select('id')
    .where('cloudState', 'is not', null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Returns the organizations with projects that are or were in a cloud. */
export const selectOrganizationsThere = (sql: Sql) =>
  sql.selectFrom('projects').select('organizationId').distinct().where('cloudState', 'is not', null).execute();

/** Not scoped to a tenant: ids are unique across the instance. */
export async function isProjectIdTaken(sql: Sql, id: string): Promise<boolean> {
  return (await sql.selectFrom('projects').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

type CloudMark = Partial<Pick<ProjectTable, 'cloudState' | 'cloudKey' | 'cloudUrl' | 'cloudAt' | 'cloudBusyUntil'>>;

export const markCloud = (sql: Sql, { organizationId, id }: ProjectTable, mark: CloudMark) =>
  tenant(sql, organizationId).update('projects', mark).where('id', '=', id).execute();

/** Updates the state if it is `from`; false otherwise. */
export async function moveCloudState(
  sql: Sql,
  { organizationId, id }: ProjectTable,
  from: 'there' | 'home',
  mark: CloudMark,
): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('projects', mark)
    .where('id', '=', id)
    .where('cloudState', '=', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Releases the block of one promotion, but not that of a later one. */
export const endCloudHold = (sql: Sql, { organizationId, id }: ProjectTable, until: number) =>
  tenant(sql, organizationId)
    .update('projects', { cloudBusyUntil: null })
    .where('id', '=', id)
    .where('cloudBusyUntil', '=', until)
    .execute();

/** Keeps the owner of the id, since volumes are kept by project id. */
export async function deleteProject(trx: Trx, organizationId: string, id: string): Promise<boolean> {
  const own = tenant(trx, organizationId);
  const { numDeletedRows } = await own.delete('projects').where('id', '=', id).executeTakeFirst();
  if (!numDeletedRows) return false;
  await own
    .insert('deleted_projects', { id, deletedAt: Date.now() })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  return true;
}

/** Whether another organization had a project with that id. */
export async function belongedToAnotherOrganization(sql: Sql, organizationId: string, id: string): Promise<boolean> {
  const query = sql.selectFrom('deleted_projects').select('organizationId').where('id', '=', id);
  const before = await query.executeTakeFirst();
  return before !== undefined && before.organizationId !== organizationId;
}

/** Locks the project until the commit; an update locks on both databases. False if it is gone. */
export async function lockProject(sql: Sql, organizationId: string, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('projects', {})
    .set((eb) => ({ name: eb.ref('projects.name') }))
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Serializes naming and numbering of projects, which are unique across the instance. */
export const lockProjectNames = (sql: Sql) =>
  sql
    .updateTable('instance')
    .set((eb) => ({ ownerUserId: eb.ref('ownerUserId') }))
    .execute();

/** Locks the project until the commit, unless it is being deleted. */
export async function lockExistingProject(sql: Sql, organizationId: string, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('projects', {})
    .set((eb) => ({ name: eb.ref('projects.name') }))
    .where('id', '=', id)
    .where('deletingAt', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const markDeleting = (sql: Sql, organizationId: string, id: string, at: number | null) =>
  tenant(sql, organizationId).update('projects', { deletingAt: at }).where('id', '=', id).execute();

/** Returns a number that was never used. The caller holds the name lock. */
export async function nextNumber(sql: Sql): Promise<number> {
  const { lastProjectNumber: last } = await sql
    .selectFrom('instance')
    .select('lastProjectNumber')
    .executeTakeFirstOrThrow();
  const next = last + 1;
  await sql.updateTable('instance').set({ lastProjectNumber: next }).execute();
  return next;
}
