import { join } from 'node:path';
import { removeTree } from '../../../lib/remove-tree.ts';
import { selectProject } from '../../projects/port.ts';
import { backupsToRemove } from '../policies/retention.ts';
import { settingsIn } from '../policies/settings.ts';
import { selectPolicy } from '../policies/store.ts';
import { instanceSources } from '../sources/instance.ts';
import { BackupError } from '../sources/source.ts';
import { type BackupDeps, runBackup } from './backup.ts';
import type { Job } from './job.ts';
import { runRestore, undoRestore } from './restore.ts';
import type { Backups } from './service.ts';
import { isBeingRemoved, type JobRow, restoreRequestOf, selectCompleted, selectJobs } from './store.ts';

/** Runs a job by its kind. */
export async function runJob(deps: BackupDeps, job: Job): Promise<void> {
  const { row } = job;
  if (row.projectId === null) return runInstanceBackup(deps, job);
  const projectId = row.kind === 'backup' ? row.projectId : restoreRequestOf(row).projectId;
  const project = await selectProject(deps.db, row.organizationId, projectId);
  if (!project)
    throw new BackupError('project_missing', 'the project does not exist any more', 'Choose another project.');
  if (row.kind !== 'backup') return runRestore(deps, job, project.slug);
  const policy = row.policyId === null ? undefined : await selectPolicy(deps.db, row.organizationId, row.policyId);
  if (!policy) throw new BackupError('policy_missing', 'the policy was deleted', 'Create a policy.');
  const settings = settingsIn(policy);
  const owner = { organizationId: row.organizationId, projectId, environment: policy.environment };
  await runBackup(deps, job, { owner, slug: project.slug, sources: settings.sources, settings });
}

async function runInstanceBackup(deps: BackupDeps, job: Job): Promise<void> {
  const { organizationId, policyId, environment } = job.row;
  const policy = await selectPolicy(deps.db, organizationId, policyId!);
  if (!policy) throw new BackupError('policy_missing', 'the policy was deleted', 'Create a policy.');
  const owner = { organizationId, projectId: '', environment };
  const sources = instanceSources(deps.makeInstanceBackup);
  await runBackup({ ...deps, sources }, job, { owner, slug: 'mooring', sources: 'all', settings: settingsIn(policy) });
}

/** Cleans up after a job that failed or was cancelled. */
export async function undoJob(deps: BackupDeps, job: Job): Promise<void> {
  const { row } = job;
  if (row.kind !== 'backup') return undoRestore(deps, job);
  if (row.projectId === null) return;
  const owner = { organizationId: row.organizationId, projectId: row.projectId, environment: row.environment };
  await deps.sources.recover(owner, row.id);
}

/** Backups before restores that can still be undone. */
const keptBeforeRestores = 3;

/** Removes temporary files, and backups that are no longer kept. */
export async function afterJob(
  {
    db,
    folder,
    backups,
    warn,
  }: Pick<BackupDeps, 'db' | 'folder'> & { backups: Backups; warn: (message: string) => void },
  row: JobRow,
  status: JobRow['status'],
): Promise<void> {
  const { organizationId, policyId, kind, trigger } = row;
  await removeTree(join(folder, row.id));
  if (status !== 'completed' || policyId === null || kind !== 'backup' || trigger === 'before-restore') return;
  const policy = await selectPolicy(db, organizationId, policyId);
  if (!policy) return;
  const { retention, timezone } = settingsIn(policy);
  const completed = await selectCompleted(db, organizationId, policyId);
  const scheduled = completed.map(({ id, finishedAt, pinned }) => ({
    id,
    finishedAt: finishedAt!,
    pinned: pinned === 1,
  }));
  const gone = new Set(backupsToRemove(scheduled, retention, timezone));
  // The clock may have been wrong during an earlier run, which then counts as the newest one.
  gone.delete(row.id);
  const filter = { kinds: ['backup' as const], projectIds: 'all' as const, policyId, limit: 1000 };
  const recent = await selectJobs(db, organizationId, filter);
  const all = [...new Map([...recent, ...completed].map((each) => [each.id, each])).values()];
  const beforeRestores = all.filter(({ trigger, pinned }) => trigger === 'before-restore' && !pinned);
  for (const { id } of beforeRestores.slice(keptBeforeRestores)) gone.add(id);
  for (const { id } of all.filter(isBeingRemoved)) gone.add(id);
  // Archives of failed runs are of no use once a newer one is complete.
  const isGone = (each: JobRow) =>
    gone.has(each.id) ||
    (['failed', 'cancelled'].includes(each.status) && each.id < row.id && !each.pinned && each.archives !== '[]');
  for (const each of all.filter(isGone))
    await backups.removeArchives(each, { keepsRow: !gone.has(each.id) }).catch((error: Error) => {
      // The next run tries again.
      warn(`backup ${each.id} could not be removed: ${error.message}`);
    });
}
