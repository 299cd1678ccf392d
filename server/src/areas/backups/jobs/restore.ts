import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatBytes } from '../../../lib/tree-size.ts';
import { newId } from '../../../lib/ids.ts';
import { removeTree } from '../../../lib/remove-tree.ts';
import { verifyArchive, withArchive } from '../archives/open.ts';
import { selectPolicy } from '../policies/store.ts';
import { type PolicySettings, settingsIn } from '../policies/settings.ts';
import { BackupError, type DataOwner, type RestoreTarget, type SourceCall, type SourceRef } from '../sources/source.ts';
import { type BackupDeps, runBackup } from './backup.ts';
import type { Job } from './job.ts';
import {
  type JobArchive,
  archivesOf,
  insertJob,
  restoreRequestOf,
  type RestoreRequest,
  selectJob,
  updateJob,
} from './store.ts';

const scratchMs = 86_400_000;
const undoMs = 3_600_000;
const awayMs = 600_000;
const betweenTriesMs = 5_000;

type Copies = { name: string; ref: SourceRef; archives: JobArchive[] };

/** Restores archives in place, beside the data, or into a scratch place. A drill is a scratch restore that is removed
 * afterwards. */
export async function runRestore(deps: BackupDeps, job: Job, slug: string): Promise<void> {
  const request = restoreRequestOf(job.row);
  const owner = ownerOf(job, request);
  const copies = await copiesOf(deps, job, request);
  const call = callOf(deps, job, job.signal);
  if (job.isResumed) await continueServices(deps, owner, job);
  const chosen = await chooseArchives(deps, job, copies);
  if (request.target === 'in-place') await backUpBefore(deps, job, { owner, slug, copies });
  for (const { name, ref, archives } of copies) {
    if (job.state.done?.includes(name)) continue;
    await job.check();
    const archive = archives.find(({ id }) => chosen.has(id))!;
    await emptyFolder(call.folder);
    await job.save({
      begun: [...new Set([...(job.state.begun ?? []), name])],
      ...(request.target === 'scratch' && { scratchUntil: Date.now() + scratchMs }),
    });
    await job.phase(`restoring ${name}`, archive.bytes);
    const outcome = await withArchive(
      deps,
      { organizationId: owner.organizationId, archive },
      { signal: job.signal, onBytes: job.count },
      ({ content }) =>
        deps.sources.restore(owner, ref, within(content, request.path, name), targetOf(request, name), call),
    ).catch((error: Error) => {
      if (copies.length === 1 || !isPathMissing(error)) throw error;
      job.say(`${error.message}; nothing of it is restored`);
    });
    const done = [...(job.state.done ?? []), name];
    if (!outcome) {
      await job.save({ done });
      continue;
    }
    const { place, proof } = outcome;
    job.say(`${name} is restored to ${place}: ${withSizes(proof.result)}`);
    await job.save({
      done,
      results: [...(job.state.results ?? []), { source: name, place, proof }],
    });
  }
  if (request.path !== null && !job.state.results?.length) throw pathMissing('the backup', request.path);
  if (request.query !== null && !job.state.results?.some(({ proof }) => proof.query.includes(request.query!)))
    throw new BackupError(
      'query_not_used',
      'no restored database ran the query',
      'Name a database as a source, for SQLite such as database:app:data/app.db.',
    );
  if (request.target === 'in-place') {
    await continueServices(deps, owner, job);
    await job.phase('waiting for the services', null);
    for (const why of await deps.sources.untilServing(owner))
      job.say(`The data is restored, but ${why}. See its log.`, 'warn');
  }
  if (job.row.kind === 'drill') await deps.sources.removeScratch(owner, job.row.id);
}

/** After a failure: restores what was there before, or removes what was made. In place, it waits for a server that is
 * away: the data may be of two times. */
export async function undoRestore(deps: BackupDeps, job: Job): Promise<void> {
  const giveUp = Date.now() + awayMs;
  const end = () => continueServices(deps, ownerOf(job, restoreRequestOf(job.row)), job);
  for (;;)
    try {
      await undoOnce(deps, job);
      return await end();
    } catch (error) {
      const isAway = error instanceof BackupError && error.code === 'engine_away';
      if (!isAway || restoreRequestOf(job.row).target !== 'in-place' || Date.now() > giveUp) {
        // Deployments no longer wait. The first error is the one to report.
        await end().catch(() => {});
        throw error;
      }
      await job.phase('waiting for the server, to undo', null);
      await sleep(betweenTriesMs, undefined, job.signal.aborted ? {} : { signal: job.signal });
    }
}

async function undoOnce(deps: BackupDeps, job: Job): Promise<void> {
  const request = restoreRequestOf(job.row);
  const owner = ownerOf(job, request);
  const signal = AbortSignal.timeout(undoMs);
  const call = callOf(deps, job, signal);
  await continueServices(deps, owner, job);
  if (request.target === 'scratch') await deps.sources.removeScratch(owner, job.row.id);
  const { beforeId, begun = [] } = job.state;
  if (request.target === 'in-place' && beforeId && begun.length) {
    const before = await selectJob(deps.db, job.row.organizationId, beforeId);
    const archives = before ? archivesOf(before).filter(({ name }) => begun.includes(name)) : [];
    for (const [name, copies] of Map.groupBy(archives, (each) => each.name)) {
      await firstWorking(copies, job, async (archive) => {
        await emptyFolder(call.folder);
        const { organizationId } = owner;
        await withArchive(deps, { organizationId, archive }, { signal }, ({ content }) =>
          deps.sources.restore(owner, archive.ref, content, { to: 'in-place' }, call),
        );
      });
      job.say(`${name} is as it was before`, 'warn');
    }
  }
}

/** Tries the copies of an archive in turn: one of the destinations may be away. */
async function firstWorking(
  copies: JobArchive[],
  { say }: Job,
  task: (archive: JobArchive) => Promise<void>,
): Promise<void> {
  for (const [index, archive] of copies.entries())
    try {
      return await task(archive);
    } catch (error) {
      const isAway = error instanceof BackupError && error.code === 'engine_away';
      if (isAway || index === copies.length - 1) throw error;
      say(`${archive.name} cannot be undone with ${archive.key}: ${(error as Error).message}`, 'warn');
    }
}

/** Continues services after a crash, except those of a volume that is incomplete: the restore that follows completes it. */
const continueServices = ({ sources }: BackupDeps, owner: DataOwner, { row }: Job): Promise<void> =>
  sources.recover(owner, row.id).catch((error: unknown) => {
    if (!(error instanceof BackupError) || error.code !== 'restore_incomplete') throw error;
  });

const ownerOf = ({ row }: Job, { projectId, environment }: RestoreRequest): DataOwner => ({
  organizationId: row.organizationId,
  projectId,
  environment,
});

const callOf = ({ folder }: BackupDeps, { row, say }: Job, signal: AbortSignal): SourceCall => ({
  signal,
  jobId: row.id,
  folder: join(folder, row.id),
  say,
});

async function emptyFolder(path: string): Promise<void> {
  await removeTree(path);
  await mkdir(path, { recursive: true, mode: 0o700 });
}

function targetOf({ target, names, query }: RestoreRequest, source: string): RestoreTarget {
  if (target === 'in-place') return { to: 'in-place' };
  return target === 'scratch' ? { to: 'scratch', query } : { to: 'new', name: names[source]! };
}

/** Groups the archives of the backup by source; each may be at several destinations. */
async function copiesOf({ db }: BackupDeps, { row }: Job, { sources }: RestoreRequest): Promise<Copies[]> {
  const backup = await selectJob(db, row.organizationId, row.backupId!);
  const groups = Map.groupBy(backup ? archivesOf(backup) : [], ({ name }) => name);
  const copies = [...groups].filter(([name]) => sources === null || sources.includes(name));
  if (!copies.length) throw new BackupError('backup_missing', 'the backup was deleted', 'Choose another backup.');
  return copies.map(([name, archives]) => ({ name, ref: archives[0]!.ref, archives }));
}

/** Reads each archive before anything is changed, and falls back to a copy at another destination. */
async function chooseArchives(deps: BackupDeps, job: Job, copies: Copies[]): Promise<Set<string>> {
  const chosen = new Set<string>();
  for (const { name, archives } of copies) {
    const problems: string[] = [];
    for (const archive of archives) {
      await job.phase(`checking ${name}`, archive.bytes);
      const { organizationId } = job.row;
      const problem = await verifyArchive(
        deps,
        { organizationId, archive },
        { signal: job.signal, onBytes: job.count },
      ).then(
        () => undefined,
        (error: Error) => error,
      );
      job.signal.throwIfAborted();
      if (!problem) chosen.add(archive.id);
      else {
        const where = await deps.stores.nameOf(organizationId, archive.destinationId);
        problems.push(`${where}: ${problem.message}`);
        job.say(`the archive of ${name} at ${where} is not usable: ${problem.message}`, 'error');
      }
      if (!problem) break;
    }
    if (problems.length === archives.length)
      throw new BackupError(
        'archive_damaged',
        `the archive of ${name} is not usable: ${problems.join('; ')}`,
        job.row.kind === 'drill' ? 'Run the backup again.' : 'Restore an older backup.',
      );
  }
  return chosen;
}

/** Takes a backup of what will be replaced, once. */
async function backUpBefore(
  deps: BackupDeps,
  job: Job,
  { owner, slug, copies }: { owner: DataOwner; slug: string; copies: Copies[] },
): Promise<void> {
  const { db, sources } = deps;
  const { row } = job;
  const known = job.state.beforeId && (await selectJob(db, row.organizationId, job.state.beforeId));
  if (known && known.status === 'completed') return;
  const beforeId = known ? known.id : newId('bak');
  const there = new Set((await sources.find(owner)).map(({ name }) => name));
  const existing = copies.filter(({ name }) => there.has(name)).map(({ ref }) => ref);
  if (!existing.length) return;
  if (!known) {
    const now = Date.now();
    // Shown as failed until it is complete, so that a crash does not leave one that looks whole.
    const failure = {
      code: 'interrupted',
      message: 'the restore ended before this backup was complete',
      hint: 'Restore again.',
    };
    await insertJob(db, {
      ...row,
      id: beforeId,
      kind: 'backup',
      projectId: owner.projectId,
      status: 'failed',
      trigger: 'before-restore',
      request: '{}',
      state: '{}',
      archives: '[]',
      error: JSON.stringify(failure),
      pinned: 0,
      createdAt: now,
      startedAt: now,
      finishedAt: now,
      lastSeq: 0,
      fence: 0,
      leaseOwner: null,
      leaseUntil: null,
      cancelRequestedAt: null,
    });
    await job.save({ beforeId });
  }
  const plan = { owner, slug, sources: existing, settings: await settingsFor(deps, job, copies) };
  await runBackup(deps, job, plan, beforeId).catch((error: Error) => {
    // A restore is most urgent when something is away.
    if (!job.state.isWhole) throw error;
    job.say(`${error.message}. The other copy is enough to undo this restore.`, 'warn');
  });
  await updateJob(
    db,
    { organizationId: row.organizationId, id: beforeId },
    { status: 'completed', error: null, finishedAt: Date.now() },
  );
}

/** The settings of the policy, or else the destination of the archives. */
async function settingsFor(
  { db }: BackupDeps,
  { row }: Job,
  copies: Copies[],
): Promise<Omit<PolicySettings, 'sources'>> {
  const policy = row.policyId ? await selectPolicy(db, row.organizationId, row.policyId) : undefined;
  const first = copies[0]!.archives[0]!;
  const basis = policy ? settingsIn(policy) : undefined;
  return {
    schedule: '',
    timezone: 'UTC',
    retention: { last: 1, daily: 0, weekly: 0, monthly: 0 },
    encryption: { enabled: true },
    drill: null,
    consistency: 'check',
    bandwidthLimit: null,
    destinationIds: [first.destinationId],
    ...basis,
    hooks: {},
  };
}

const withSizes = (proof: string): string =>
  proof.replaceAll(/\b(\d+) bytes/g, (_, bytes: string) => formatBytes(Number(bytes)));

const pathMissing = (source: string, path: string | null) =>
  new BackupError('path_missing', `${source} has no ${JSON.stringify(path)}`, 'Check the path.');

const isPathMissing = (error: Error): boolean => error instanceof BackupError && error.code === 'path_missing';

/** Yields the entries at the path and below it. Throws if there are none. */
async function* within<T extends { path: string }>(
  entries: AsyncIterable<T>,
  path: string | null,
  source: string,
): AsyncGenerator<T> {
  let isThere = path === null;
  for await (const entry of entries)
    if (path === null || `${entry.path}/`.startsWith(`${path}/`)) {
      isThere = true;
      yield entry;
    }
  if (!isThere) throw pathMissing(source, path);
}
