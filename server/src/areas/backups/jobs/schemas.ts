import { z } from '../../../lib/zod/index.ts';
import { isoTime, isoTimeOrNull, timeField } from '../../../http/responses.ts';
import { PolicySource } from '../policies/settings.ts';
import { archivesOf, jobFailureOf, type JobRow, jobProgressOf, restoreRequestOf, jobStateOf } from './store.ts';

export const jobStatuses = ['queued', 'running', 'verifying', 'completed', 'failed', 'cancelled'] as const;

export const BackupFailure = z
  .object({ code: z.string(), message: z.string(), hint: z.string() })
  .meta({ id: 'BackupFailure' });

const Progress = z.object({
  phase: z.string().describe('What is being done, such as `sending volume-uploads`.'),
  bytesDone: z.number(),
  bytesTotal: z.number().nullable(),
});

const Archive = z
  .object({
    id: z.string(),
    source: PolicySource,
    name: z.string().describe('Name of the source in restores.'),
    destinationId: z.string(),
    key: z.string().describe('Object name at the destination.'),
    bytes: z.number(),
    contentBytes: z.number().describe('Size before compression.'),
    sha256: z.string(),
    encrypted: z.boolean(),
    verifiedAt: timeField.describe('When it was read back and compared.'),
  })
  .meta({ id: 'BackupArchive' });

const shared = {
  id: z.string(),
  policyId: z.string().nullable(),
  projectId: z.string().nullable(),
  status: z.enum(jobStatuses),
  progress: Progress,
  error: BackupFailure.nullable(),
  createdAt: timeField,
  startedAt: timeField.nullable(),
  finishedAt: timeField.nullable(),
};

export const Backup = z
  .object({
    ...shared,
    trigger: z.enum(['schedule', 'manual', 'before-restore']),
    archives: z.array(Archive),
    bytes: z.number().describe('Size of all archives.'),
    pinned: z.boolean(),
  })
  .meta({ id: 'Backup' });

export const Restore = z
  .object({
    ...shared,
    kind: z.enum(['restore', 'drill']),
    backupId: z.string(),
    target: z.enum(['in-place', 'new-volume', 'scratch']),
    sources: z.array(z.string()).nullable(),
    results: z.array(z.object({ source: z.string(), place: z.string() })),
    proof: z
      .object({ query: z.string(), result: z.string() })
      .nullable()
      .describe('What shows that the restored data is usable.'),
    beforeBackupId: z.string().nullable().describe('The backup taken before the data was replaced.'),
    undoable: z.boolean(),
    undoOf: z.string().nullable(),
  })
  .meta({ id: 'Restore' });

const presentShared = (row: JobRow) => ({
  id: row.id,
  policyId: row.policyId,
  projectId: row.projectId,
  status: row.status,
  progress: jobProgressOf(row),
  error: jobFailureOf(row),
  createdAt: isoTime(row.createdAt),
  startedAt: isoTimeOrNull(row.startedAt),
  finishedAt: isoTimeOrNull(row.finishedAt),
});

export function presentBackup(row: JobRow): z.infer<typeof Backup> {
  const archives = archivesOf(row);
  return {
    ...presentShared(row),
    trigger: row.trigger,
    archives: archives.map(({ ref, verifiedAt, ...rest }) => ({
      ...rest,
      source: ref,
      verifiedAt: isoTime(verifiedAt),
    })),
    bytes: archives.reduce((sum, { bytes }) => sum + bytes, 0),
    pinned: row.pinned === 1,
  };
}

export function presentRestore(row: JobRow): z.infer<typeof Restore> {
  const { target, sources, undoOf } = restoreRequestOf(row);
  const { results = [], beforeId = null } = jobStateOf(row);
  const proofs = results.map(({ proof }) => proof);
  return {
    ...presentShared(row),
    kind: row.kind === 'drill' ? 'drill' : 'restore',
    backupId: row.backupId!,
    target,
    sources,
    results: results.map(({ source, place }) => ({ source, place })),
    proof: proofs.length
      ? { query: proofs.map(({ query }) => query).join('; '), result: proofs.map(({ result }) => result).join('; ') }
      : null,
    beforeBackupId: beforeId,
    undoable: row.status === 'completed' && target === 'in-place' && beforeId !== null,
    undoOf,
  };
}
