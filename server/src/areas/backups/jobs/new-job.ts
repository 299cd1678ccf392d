import { newId } from '../../../lib/ids.ts';
import type { JobRow } from './store.ts';

/** A queued job. */
export const newJob = (
  of: Pick<JobRow, 'kind' | 'organizationId' | 'projectId' | 'environment' | 'policyId' | 'trigger' | 'createdBy'>,
): JobRow => ({
  id: newId(of.kind === 'backup' ? 'bak' : 'rst'),
  backupId: null,
  status: 'queued',
  request: '{}',
  state: '{}',
  archives: '[]',
  progress: JSON.stringify({ phase: 'waiting', bytesDone: 0, bytesTotal: null }),
  error: null,
  pinned: 0,
  machine: null,
  cancelRequestedAt: null,
  createdAt: Date.now(),
  startedAt: null,
  finishedAt: null,
  lastSeq: 0,
  fence: 0,
  leaseOwner: null,
  leaseUntil: null,
  ...of,
});
