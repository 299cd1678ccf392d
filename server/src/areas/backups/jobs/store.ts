import { databaseNow } from '../../../db/clock.ts';
import { type DatabaseKind, type Db, inTransaction, type Sql } from '../../../db/database.ts';
import { lockUntilCommit } from '../../../db/lock.ts';
import { storedJson } from '../../../db/stored-json.ts';
import type { BackupJobTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';
import { z } from '../../../lib/zod/index.ts';
import type { EventTables } from '../../../events/event-log.ts';
import type { SourceRef } from '../sources/source.ts';

export type JobRow = BackupJobTable;

/** An archive at a destination. It exists only once it was verified. */
export type JobArchive = {
  id: string;
  /** Name of the source. */
  name: string;
  ref: SourceRef;
  destinationId: string;
  key: string;
  bytes: number;
  /** Size of the content before compression. */
  contentBytes: number;
  sha256: string;
  encrypted: boolean;
  verifiedAt: number;
};

export const jobEvents: EventTables = { rows: 'backup_jobs', events: 'backup_events', key: 'jobId', what: 'backup' };

/** Parameters of a restore. */
export type RestoreRequest = {
  target: 'in-place' | 'new-volume' | 'scratch';
  /** Names of the sources to restore; all of the backup by default. */
  sources: string[] | null;
  projectId: string;
  environment: string;
  /** Names of new volumes and databases, by source. */
  names: Record<string, string>;
  /** A single file or folder of a volume. */
  path: string | null;
  query: string | null;
  undoOf: string | null;
};

/** Progress, for a worker that resumes the job of another one. */
export type JobState = {
  /** Names of sources whose restore has begun, and of those that are finished. */
  begun?: string[];
  done?: string[];
  /** The backup that was taken before a restore in place. */
  beforeId?: string;
  /** Where restored data is, and what proves it, by source. */
  results?: { source: string; place: string; proof: { query: string; result: string } }[];
  /** Name of the project in object keys when the backup began; the project may be renamed meanwhile. */
  slug?: string;
  /** A backup that failed at some destinations, and is whole at the others. */
  isWhole?: boolean;
  /** The scratch place exists until then. */
  scratchUntil?: number;
};

export type JobProgress = { phase: string; bytesDone: number; bytesTotal: number | null };
export type JobFailure = { code: string; message: string; hint: string };

const readRequest = storedJson('backup_jobs.request', z.custom<RestoreRequest>());
const readState = storedJson('backup_jobs.state', z.custom<JobState>());
const readProgress = storedJson('backup_jobs.progress', z.custom<JobProgress>());
const readFailure = storedJson('backup_jobs.error', z.custom<JobFailure>());
const readArchives = storedJson('backup_jobs.archives', z.custom<JobArchive[]>());

export const restoreRequestOf = (row: JobRow): RestoreRequest => readRequest(row.request);
export const jobStateOf = (row: JobRow): JobState => readState(row.state);
export const jobProgressOf = (row: JobRow): JobProgress => readProgress(row.progress);
export const jobFailureOf = (row: JobRow): JobFailure | null => readFailure(row.error);
export const archivesOf = (row: JobRow): JobArchive[] => readArchives(row.archives);

export const insertJob = (sql: Sql, { organizationId, ...row }: JobRow) =>
  tenant(sql, organizationId).insert('backup_jobs', row).execute();

export const selectJob = (sql: Sql, organizationId: string, id: string): Promise<JobRow | undefined> =>
  tenant(sql, organizationId).select('backup_jobs').selectAll().where('id', '=', id).executeTakeFirst();

export type JobFilter = {
  kinds: JobRow['kind'][];
  projectIds: 'all' | string[];
  projectId?: string | undefined;
  policyId?: string | undefined;
  cursor?: string | undefined;
  limit: number;
};

/** A page, newest first. */
export function selectJobs(sql: Sql, organizationId: string, filter: JobFilter): Promise<JobRow[]> {
  let query = tenant(sql, organizationId).select('backup_jobs').selectAll().where('kind', 'in', filter.kinds);
  if (filter.projectId) query = query.where('projectId', '=', filter.projectId);
  if (filter.policyId) query = query.where('policyId', '=', filter.policyId);
  if (filter.projectIds !== 'all')
    query = query.where('projectId', 'in', filter.projectIds.length ? filter.projectIds : ['']);
  if (filter.cursor) query = query.where('id', '<', filter.cursor);
  return query.orderBy('id', 'desc').limit(filter.limit).execute();
}

export const selectUnfinishedOfPolicy = (sql: Sql, organizationId: string, policyId: string, kind: JobRow['kind']) =>
  tenant(sql, organizationId)
    .select('backup_jobs')
    .selectAll()
    .where('policyId', '=', policyId)
    .where('kind', '=', kind)
    .where('trigger', '!=', 'before-restore')
    .where('finishedAt', 'is', null)
    .executeTakeFirst();

/** Returns the ids of backups that an unfinished restore reads, or needs to undo what it has begun. */
export async function selectBackupsInUse(sql: Sql, organizationId: string): Promise<Set<string>> {
  const rows = await tenant(sql, organizationId)
    .select('backup_jobs')
    .selectAll()
    .where('kind', 'in', ['restore', 'drill'])
    .where('finishedAt', 'is', null)
    .execute();
  return new Set(
    rows.flatMap((row) => [row.backupId, jobStateOf(row).beforeId]).filter((id) => typeof id === 'string'),
  );
}

const removed: JobFailure = {
  code: 'removed',
  message: 'its archives are being deleted',
  hint: 'Choose another backup.',
};

/** Whether its archives are being deleted, or a deletion was interrupted. */
export const isBeingRemoved = (row: JobRow): boolean => jobFailureOf(row)?.code === removed.code;

/** Marks a completed backup whose archives are about to be deleted: it can no longer be restored or pinned. Returns
 * false if it is in use or pinned. Called with the organization locked. */
export async function beginRemoval(trx: Sql, { organizationId, id, pinned }: JobRow): Promise<boolean> {
  const current = await selectJob(trx, organizationId, id);
  if (!current || current.pinned > pinned || (await selectBackupsInUse(trx, organizationId)).has(id)) return false;
  if (current.status === 'completed')
    await updateJob(trx, current, { status: 'failed', error: JSON.stringify(removed) });
  return true;
}

/** Completed runs of a policy, newest first. */
export const selectCompleted = (sql: Sql, organizationId: string, policyId: string) =>
  tenant(sql, organizationId)
    .select('backup_jobs')
    .selectAll()
    .where('policyId', '=', policyId)
    .where('kind', '=', 'backup')
    .where('trigger', '!=', 'before-restore')
    .where('status', '=', 'completed')
    .orderBy('id', 'desc')
    .execute();

export const updateJob = (
  sql: Sql,
  { organizationId, id }: Pick<JobRow, 'organizationId' | 'id'>,
  change: Partial<JobRow>,
) => tenant(sql, organizationId).update('backup_jobs', change).where('id', '=', id).execute();

export const deleteJob = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).delete('backup_jobs').where('id', '=', id).execute();

const leaseMs = 15_000;

// A worker is bound by the fence of its lease, not by a caller's organization.

/** Claims a job: first one whose worker died, then the oldest queued one. */
export function claimJob(db: Db, kind: DatabaseKind, owner: string, held: string[]): Promise<JobRow | undefined> {
  return inTransaction(db, async (trx) => {
    await lockUntilCommit(trx, kind, 'the queue of backups');
    const next = await trx
      .selectFrom('backup_jobs')
      .selectAll()
      .where('finishedAt', 'is', null)
      .where('id', 'not in', held.length ? held : [''])
      .where((eb) => eb.or([eb('machine', 'is', null), eb('machine', '=', owner)]))
      .where((eb) =>
        eb.or([
          eb('leaseOwner', 'is', null),
          eb('leaseUntil', '<', databaseNow(kind)),
          // Of the process before this one.
          eb('leaseOwner', '=', owner),
        ]),
      )
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (!next) return undefined;
    const begun = { status: 'running' as const, startedAt: next.startedAt ?? Date.now(), fence: next.fence + 1 };
    return trx
      .updateTable('backup_jobs')
      .set((eb) => ({ ...begun, leaseOwner: owner, leaseUntil: eb(databaseNow(kind), '+', leaseMs) }))
      .where('id', '=', next.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

export const renewJob = (db: Db, kind: DatabaseKind, { id, fence }: JobRow) =>
  db
    .updateTable('backup_jobs')
    .set((eb) => ({ leaseUntil: eb(databaseNow(kind), '+', leaseMs) }))
    .where('id', '=', id)
    .where('fence', '=', fence)
    .returning('cancelRequestedAt')
    .executeTakeFirst();

/** Writes under the fence; false if another worker has taken over. */
export async function updateHeldJob(sql: Sql, { id, fence }: JobRow, change: Partial<JobRow>): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('backup_jobs')
    .set(change)
    .where('id', '=', id)
    .where('fence', '=', fence)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ids of unfinished jobs of all organizations. */
export const selectUnfinishedIds = async (sql: Sql): Promise<Set<string>> =>
  new Set(
    (await sql.selectFrom('backup_jobs').select('id').where('finishedAt', 'is', null).execute()).map(({ id }) => id),
  );

/** Finished restores whose scratch place still exists, of all organizations. */
export const selectScratches = (sql: Sql): Promise<JobRow[]> =>
  sql
    .selectFrom('backup_jobs')
    .selectAll()
    .where('kind', '=', 'restore')
    .where('finishedAt', 'is not', null)
    .where('state', 'like', '%"scratchUntil":%')
    .execute();
