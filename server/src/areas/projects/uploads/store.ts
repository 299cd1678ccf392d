import type { Sql } from '../../../db/database.ts';
import type { UploadTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export const insertUpload = (sql: Sql, { organizationId, ...upload }: UploadTable) =>
  tenant(sql, organizationId).insert('uploads', upload).execute();

export const selectUpload = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).select('uploads').selectAll().where('id', '=', id).executeTakeFirst();

/** Not scoped to a tenant: the client only has the session's secret. */
export const selectUploadBeforeSecret = (sql: Sql, id: string) =>
  sql.selectFrom('uploads').selectAll().where('id', '=', id).executeTakeFirst();

/** Updates the upload if its status is `from`; false otherwise. */
export async function moveUpload(
  sql: Sql,
  organizationId: string,
  id: string,
  from: UploadTable['status'],
  change: Partial<Omit<UploadTable, 'id' | 'organizationId'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('uploads', change)
    .where('id', '=', id)
    .where('status', '=', from)
    .executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/** Assigns an archive to a project; one that is assigned stays with its project. */
export async function claimUpload(sql: Sql, organizationId: string, id: string, projectId: string): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('uploads', { status: 'used', projectId, usedAt: Date.now() })
    .where('id', '=', id)
    .where('status', 'in', ['received', 'used'])
    .where((eb) => eb.or([eb('projectId', 'is', null), eb('projectId', '=', projectId)]))
    .executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/** Counts uploads without a deployment. */
export async function countUnused(sql: Sql, organizationId: string): Promise<number> {
  const { count } = await tenant(sql, organizationId)
    .select('uploads')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('status', 'in', ['receiving', 'received'])
    .where('expiresAt', '>', Date.now())
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Deletes the oldest sessions without an archive, keeping `kept`. */
export async function deleteOldestEmpty(sql: Sql, organizationId: string, kept: number): Promise<void> {
  const beyond = await tenant(sql, organizationId)
    .select('uploads')
    .select(stored)
    .where('status', '=', 'open')
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .offset(kept)
    .limit(1000)
    .execute();
  for (const upload of beyond) await deleteUpload(sql, upload);
}

// Not scoped to a tenant: retention applies to the whole instance.

export type StoredUpload = Pick<UploadTable, 'id' | 'organizationId' | 'status'>;
const stored = ['uploads.id', 'uploads.organizationId', 'uploads.status'] as const;

/** Returns expired sessions without an archive or deployment. */
export const selectExpired = (sql: Sql, now: number): Promise<StoredUpload[]> =>
  sql.selectFrom('uploads').select(stored).where('status', '!=', 'used').where('expiresAt', '<=', now).execute();

/** Returns used archives beyond the rollback window plus `extra`. */
export async function selectUploadsBeyondWindow(sql: Sql, extra: number): Promise<StoredUpload[]> {
  const crowded = await sql
    .selectFrom('uploads')
    .innerJoin('projects', 'projects.id', 'uploads.projectId')
    .select(['projects.id', 'projects.rollbackWindow'])
    .where('uploads.status', '=', 'used')
    .groupBy(['projects.id', 'projects.rollbackWindow'])
    .having((eb) => eb(eb.fn.countAll(), '>', eb('projects.rollbackWindow', '+', extra)))
    .execute();
  const beyond: StoredUpload[] = [];
  for (const { id, rollbackWindow } of crowded) {
    const rows = await sql
      .selectFrom('uploads')
      .select(stored)
      .where('projectId', '=', id)
      .where('status', '=', 'used')
      .orderBy('usedAt', 'desc')
      .orderBy('id', 'desc')
      .execute();
    beyond.push(...rows.slice(rollbackWindow + extra));
  }
  return beyond;
}

export const deleteUpload = (sql: Sql, { id, organizationId, status }: StoredUpload) =>
  tenant(sql, organizationId).delete('uploads').where('id', '=', id).where('status', '=', status).execute();

export async function selectKnownUploads(sql: Sql, ids: string[]): Promise<Set<string>> {
  const rows = ids.length ? await sql.selectFrom('uploads').select('id').where('id', 'in', ids).execute() : [];
  return new Set(rows.map(({ id }) => id));
}
