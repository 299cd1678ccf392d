import { type Db, inTransaction, isUniqueViolation, type Sql, type Trx } from '../../../db/database.ts';
import { AppError, badRequest, conflict, forbidden, notFound } from '../../../errors.ts';
import { appendEvents, type EventLog } from '../../../events/event-log.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Action } from '../../../http/permission.ts';
import { grantedIds, lockOrganization, hasAccessTo, recordAudit, canSee } from '../../access/port.ts';
import { selectActive } from '../../deployments/port.ts';
import { selectProject, visibleProject } from '../../projects/port.ts';
import { type ArchiveStores, rethrowForCaller } from '../archives/archive-stores.ts';
import { selectDestination } from '../destinations/store.ts';
import { settingsIn } from '../policies/settings.ts';
import { recordRun } from '../policies/record-run.ts';
import type { PolicyRow } from '../policies/store.ts';
import { newJob } from './new-job.ts';
import type { RestoreBody } from './routes.ts';
import {
  archivesOf,
  beginRemoval,
  deleteJob,
  insertJob,
  isBeingRemoved,
  jobEvents,
  type JobFilter,
  type JobRow,
  restoreRequestOf,
  type RestoreRequest,
  selectCompleted,
  selectJob,
  selectJobs,
  selectUnfinishedOfPolicy,
  jobStateOf,
  updateJob,
} from './store.ts';

type Deps = {
  db: Db;
  events: EventLog;
  stores: ArchiveStores;
  /** Looks for queued jobs, and tells a running one to check for requests. */
  look: () => void;
  wake: (id: string) => void;
};

type Creator = Pick<Caller, 'userId'>;
type Page = Omit<JobFilter, 'kinds' | 'projectIds'>;

/** Backups, restores and drills as users see them. */
export class Backups {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async list(
    caller: Caller,
    kinds: JobRow['kind'][],
    page: Page,
  ): Promise<{ rows: JobRow[]; nextCursor: string | null }> {
    const projectIds = grantedIds(caller, 'project', 'list');
    const filter = { ...page, limit: page.limit + 1, kinds, projectIds };
    const rows = await selectJobs(this.#deps.db, caller.organization.id, filter);
    const shown = rows.slice(0, page.limit);
    return { rows: shown, nextCursor: rows.length > page.limit ? shown.at(-1)!.id : null };
  }

  async get(caller: Caller, id: string, kinds: JobRow['kind'][], action: Action): Promise<JobRow> {
    const row = await selectJob(this.#deps.db, caller.organization.id, id);
    const what = kinds.includes('backup') ? 'backup' : 'restore';
    if (!row || !kinds.includes(row.kind) || !canSee(caller, 'project', row.projectId ?? '')) throw notFound(what);
    if (row.projectId === null && !caller.isInstanceOwner) throw notFound(what);
    if (!hasAccessTo(caller, 'project', row.projectId ?? '', action))
      throw forbidden(`you were not granted ${action} on the project of this ${what}`);
    return row;
  }

  /** Starts a run of the policy, or returns the one under way. */
  async run(caller: Caller, policy: PolicyRow): Promise<JobRow> {
    const row = await this.begin(policy, 'backup', 'manual', caller);
    await recordAudit(this.#deps.db, row.organizationId, caller, {
      action: 'backup.started',
      target: { id: row.id, name: policy.name },
    });
    return row;
  }

  /** Starts a drill of the newest backup, or returns the one under way. */
  async drill(caller: Caller, policy: PolicyRow): Promise<JobRow> {
    const row = await this.begin(policy, 'drill', 'manual', caller);
    await recordAudit(this.#deps.db, row.organizationId, caller, {
      action: 'backup.drill_started',
      target: { id: row.id, name: policy.name },
    });
    return row;
  }

  /** Queues a run or a drill; returns the one that is unfinished, if there is one. */
  async begin(
    policy: PolicyRow,
    kind: 'backup' | 'drill',
    trigger: 'schedule' | 'manual',
    by: Creator,
  ): Promise<JobRow> {
    const { db, look } = this.#deps;
    const { organizationId, environment } = policy;
    const { projectId } = policy;
    const known = await selectUnfinishedOfPolicy(db, organizationId, policy.id, kind);
    if (known) return known;
    if (kind === 'drill' && projectId === null) throw conflict('Backups of the instance have no drills.');
    const newest = kind === 'drill' ? (await selectCompleted(db, organizationId, policy.id))[0] : undefined;
    if (kind === 'drill' && !newest) throw conflict('There is no backup of this policy yet. Run it first.');
    const request: RestoreRequest = {
      target: 'scratch',
      sources: null,
      projectId: projectId ?? '',
      environment,
      names: {},
      path: null,
      query: settingsIn(policy).drill?.query ?? null,
      undoOf: null,
    };
    const row = newJob({
      kind,
      organizationId,
      projectId,
      environment,
      policyId: policy.id,
      trigger,
      createdBy: by.userId,
    });
    if (newest) Object.assign(row, { backupId: newest.id, request: JSON.stringify(request) });
    if (projectId !== null) row.machine = await machineOf(db, { organizationId, projectId, environment });
    try {
      await inTransaction(db, async (trx) => {
        if (newest) await requireKept(trx, newest);
        await insertJob(trx, row);
        await recordRun(trx, row, null);
      });
    } catch (error) {
      // Somebody else has started one at the same moment.
      const other = isUniqueViolation(error) && (await selectUnfinishedOfPolicy(db, organizationId, policy.id, kind));
      if (!other) throw error;
      return other;
    }
    look();
    return row;
  }

  async restore(caller: Caller, id: string, body: RestoreBody, undoOf: string | null = null): Promise<JobRow> {
    const backup = await this.get(caller, id, ['backup'], 'admin');
    if (backup.status !== 'completed' && !jobStateOf(backup).isWhole)
      throw conflict('Only a completed backup can be restored. Choose another one.');
    if (backup.projectId === null)
      throw conflict('Download it, unpack it, and run mooring restore instance on the new machine.');
    const projectId = body.projectId ?? backup.projectId;
    const project = await visibleProject(this.#deps.db, caller, projectId, 'admin');
    const names = new Set(archivesOf(backup).map(({ name }) => name));
    const unknown = body.sources?.find((name) => !names.has(name));
    if (unknown) throw badRequest(`sources: the backup has no ${unknown}; it has ${[...names].join(', ')}`, 'sources');
    if (body.target === 'in-place' && body.confirm !== true)
      throw badRequest('confirm must be true: the current data will be replaced', 'confirm');
    if (body.target === 'in-place' && body.path !== undefined)
      throw badRequest('path cannot be restored in place; restore it to a new volume or download it', 'path');
    const request: RestoreRequest = {
      target: body.target,
      sources: body.sources ?? null,
      projectId,
      environment: body.environment ?? backup.environment,
      names: body.target === 'new-volume' ? newNames(body, [...names]) : {},
      path: body.path ?? null,
      query: body.query ?? null,
      undoOf,
    };
    const { organizationId } = backup;
    const row = newJob({
      kind: 'restore',
      organizationId,
      projectId,
      environment: request.environment,
      policyId: backup.policyId,
      trigger: 'manual',
      createdBy: caller.userId,
    });
    Object.assign(row, { backupId: id, request: JSON.stringify(request) });
    row.machine = await machineOf(this.#deps.db, { organizationId, projectId, environment: request.environment });
    await inTransaction(this.#deps.db, async (trx) => {
      await requireKept(trx, backup);
      await insertJob(trx, row);
      await recordAudit(trx, organizationId, caller, {
        action: undoOf ? 'restore.undone' : 'restore.started',
        target: { id: row.id, name: project.name },
        details: { backup: id, target: body.target },
      });
    }).catch((error: unknown) => {
      if (isUniqueViolation(error))
        throw conflict('Another restore of this project is running. Wait for it or cancel it.');
      throw error;
    });
    this.#deps.look();
    return row;
  }

  /** Restores what was there before the restore. */
  async undo(caller: Caller, id: string): Promise<JobRow> {
    const row = await this.get(caller, id, ['restore'], 'admin');
    const { beforeId } = jobStateOf(row);
    const { target, sources, projectId, environment } = restoreRequestOf(row);
    if (row.status !== 'completed' || target !== 'in-place' || !beforeId)
      throw conflict('Only a completed restore in place can be undone.');
    const body = { target, projectId, environment, confirm: true, ...(sources && { sources }) } as const;
    return this.restore(caller, beforeId, body, id);
  }

  async cancel(caller: Caller, id: string, kinds: JobRow['kind'][]): Promise<JobRow> {
    const row = await this.get(caller, id, kinds, 'write');
    const { db, wake, events } = this.#deps;
    if (row.finishedAt !== null) throw new AppError('not_allowed_now', `It is ${row.status} already.`);
    const name = await this.#nameOf(row);
    await inTransaction(db, async (trx) => {
      const now = Date.now();
      await updateJob(trx, row, { cancelRequestedAt: now });
      const current = (await selectJob(trx, row.organizationId, id))!;
      await recordAudit(trx, row.organizationId, caller, {
        action: `${row.kind}.cancelled`,
        target: { id, name },
      });
      // Nobody works on it yet, so nobody else would end it.
      if (current.leaseOwner !== null || current.finishedAt !== null) return;
      const cancelled = { status: 'cancelled' as const, finishedAt: now };
      await updateJob(trx, row, cancelled);
      await recordRun(trx, { ...row, ...cancelled }, null);
      const last = (['status', 'end'] as const).map((type) => ({ type, at: now, data: { status: 'cancelled' } }));
      await appendEvents(trx, id, last, undefined, jobEvents);
    });
    wake(id);
    events.tell(id);
    return this.get(caller, id, kinds, 'write');
  }

  async pin(caller: Caller, id: string, pinned: boolean): Promise<JobRow> {
    const row = await this.get(caller, id, ['backup'], 'write');
    const name = await this.#nameOf(row);
    await inTransaction(this.#deps.db, async (trx) => {
      await requireKept(trx, row);
      await updateJob(trx, row, { pinned: pinned ? 1 : 0 });
      await recordAudit(trx, row.organizationId, caller, {
        action: pinned ? 'backup.pinned' : 'backup.unpinned',
        target: { id, name },
      });
    });
    return { ...row, pinned: pinned ? 1 : 0 };
  }

  /** Removes the archives at the destinations first. */
  async delete(caller: Caller, id: string): Promise<void> {
    const row = await this.get(caller, id, ['backup'], 'admin');
    if (row.finishedAt === null) throw new AppError('not_allowed_now', 'It is still running. Cancel it first.');
    if (!(await this.removeArchives(row).catch(rethrowForCaller)))
      throw new AppError('not_allowed_now', 'A restore uses this backup. Wait for it or cancel it.');
    await recordAudit(this.#deps.db, row.organizationId, caller, {
      action: 'backup.deleted',
      target: { id, name: await this.#nameOf(row) },
    });
  }

  /** Removes the archives of a backup, and unless `keepsRow` the backup itself. Returns false if it is in use, or was
   * pinned in the meantime. */
  async removeArchives(row: JobRow, { keepsRow = false } = {}): Promise<boolean> {
    const { db, stores } = this.#deps;
    const { organizationId, id } = row;
    const isFree = await inTransaction(db, async (trx) => {
      await lockOrganization(trx, organizationId);
      return beginRemoval(trx, row);
    });
    if (!isFree) return false;
    const signal = AbortSignal.timeout(600_000);
    let left = archivesOf(row);
    for (const [destinationId, archives] of Map.groupBy(left, (each) => each.destinationId)) {
      // Nothing can be deleted at a destination that was removed.
      if (!(await selectDestination(db, organizationId, destinationId))) continue;
      await stores.use(organizationId, destinationId, async (storage) => {
        // Without its manifest, the backup no longer looks whole.
        await storage.delete(archives[0]!.key.replace(/[^/]*$/, 'manifest.json'), { signal });
        for (const archive of archives) {
          await storage.delete(archive.key, { signal });
          left = left.filter((each) => each !== archive);
          await updateJob(db, row, { archives: JSON.stringify(left) });
        }
      });
    }
    await (keepsRow ? updateJob(db, row, { archives: '[]' }) : deleteJob(db, organizationId, id));
    return true;
  }

  /** What the job is of, for the audit log. */
  async #nameOf({ organizationId, projectId }: JobRow): Promise<string> {
    if (projectId === null) return 'Mooring';
    return (await selectProject(this.#deps.db, organizationId, projectId))?.name ?? projectId;
  }
}

/** Throws if the backup is deleted or being deleted; otherwise it stays at least until the commit. */
async function requireKept(trx: Trx, { organizationId, id }: JobRow): Promise<void> {
  await lockOrganization(trx, organizationId);
  const row = await selectJob(trx, organizationId, id);
  if (!row || isBeingRemoved(row)) throw conflict('The backup was just deleted. Choose another one.');
}

/** The replica whose machine has the data; null if every replica reaches it. */
async function machineOf(
  sql: Sql,
  { organizationId, projectId, environment }: { organizationId: string; projectId: string; environment: string },
): Promise<string | null> {
  const active = await selectActive(sql, organizationId, projectId, environment);
  return active && active.serverId === null ? active.machine : null;
}

/** New names of volumes and databases: those given, or the old ones with an ending. */
function newNames({ names = {} }: RestoreBody, sources: string[]): Record<string, string> {
  const ending = new Date().toISOString().slice(0, 16).replaceAll(/[-:T]/g, '');
  return Object.fromEntries(
    sources.map((name) => [name, names[name] ?? `restored-${ending}-${name.replace(/^[a-z]+-/, '')}`]),
  );
}
