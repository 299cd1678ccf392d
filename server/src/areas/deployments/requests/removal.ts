import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, inTransaction, type Trx } from '../../../db/database.ts';
import { edgeKey, isFinished } from '../model/model.ts';
import {
  deleteDeployment,
  type DeploymentRow,
  endAllActive,
  selectDeployment,
  selectOfProject,
  updateDeployment,
} from '../model/store.ts';
import { selectStatus } from './commit-status-store.ts';
import { EngineAwayError } from '../../../drivers/runtime/errors.ts';
import { AppError } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { type AuditActor, recordAudit } from '../../access/port.ts';
import { removeArtifact } from '../model/artifact.ts';
import { type DeploymentRemoval, readRemoval, removalKind } from '../model/background-store.ts';
import type { BackgroundTasks } from '../upkeep/background-tasks.ts';
import { awayReasonOf } from '../model/failure.ts';
import { untilAborted } from '../../../lib/until-aborted.ts';
import { partsIfKnown, type Machines } from '../model/machines.ts';
import { originalsFor } from '../model/originals-store.ts';
import type { Parts } from '../model/parts.ts';
import type { ProjectLeftovers, ProjectRemoval } from './project-leftovers.ts';
import type { Deployments } from './service.ts';
import { containersNeeded } from '../release/in-use.ts';
import { containerKey, isAppRow, serviceStatesOf } from '../model/stack.ts';
import { removeOldImages } from '../rollout/tidy-services.ts';
import { selectPending } from '../model/stack-store.ts';

const cancelMs = 20_000;
/** Longer, because services have to be rolled back. */
const rejectMs = 60_000;
/** Shorter, because a deleted project rolls nothing back. */
const endMs = 1500;
/** Timeout for a server to respond. */
const thereMs = 8_000;

type RemoveOptions = { volumes?: boolean; abandon?: boolean };

type Deps = {
  db: Db;
  machines: Machines;
  deployments: Deployments;
  tasks: BackgroundTasks;
  leftovers: ProjectLeftovers;
};

/**
 * Deletes deployments with their containers, routes, folders and history. Volumes stay. Slow work, mostly stopping
 * containers, continues after the response.
 */
export class RemovalService {
  readonly #db: Db;
  readonly #machines: Machines;
  readonly #deployments: Deployments;
  readonly #tasks: BackgroundTasks;
  readonly #leftovers: ProjectLeftovers;

  constructor({ db, machines, deployments, tasks, leftovers }: Deps) {
    this.#db = db;
    this.#machines = machines;
    this.#deployments = deployments;
    this.#tasks = tasks;
    this.#leftovers = leftovers;
    tasks.handle(removalKind, (details, id) => this.#finish(readRemoval(details), id));
  }

  async remove(caller: Caller, id: string): Promise<void> {
    const row = await this.#deployments.get(caller, id, 'admin');
    if (row.active) await this.#requireDecided(row);
    const parts = this.#deployments.isReached(row) ? await partsIfKnown(this.#machines, row) : undefined;
    await requireThere(parts);
    const { organizationId } = row;
    const { userId, email, ip, via } = caller;
    const removal: DeploymentRemoval = {
      organizationId,
      actor: { userId, email, ip, via },
      wasActive: row.active === 1,
    };
    await inTransaction(this.#db, async (trx) => {
      // Deactivated before anything stops, so that upkeep does not restart it.
      if (row.active) await updateDeployment(trx, organizationId, id, { active: 0 });
      await this.#tasks.add(trx, removalKind, id, removal);
      await recordAudit(trx, organizationId, caller, { action: 'deployment.deleted', target: { id, name: id } });
    });
    if (row.active) await parts?.edge.remove(edgeKey(row));
    await this.#tasks.begin(id);
  }

  /** Idempotent: runs again after a kill or if something was unreachable. */
  async #finish({ organizationId, actor, wasActive }: DeploymentRemoval, id: string): Promise<void> {
    const found = await selectDeployment(this.#db, organizationId, id);
    if (!found) return;
    const row = await this.#ended(actor, found);
    await this.#clear(row, wasActive, await this.#isShared(row));
    await deleteDeployment(this.#db, organizationId, id);
  }

  /** A partial failure depends on the previous release until it is decided. */
  async #requireDecided({ organizationId, projectId, environment }: DeploymentRow): Promise<void> {
    const pending = await selectPending(this.#db, organizationId, projectId, environment);
    if (pending)
      throw new AppError('decision_pending', `deployment ${pending.id} needs a decision; keep or reject it first`);
  }

  /**
   * Stops routing to a project that is being deleted. Returns a function that stores the removal of the rest in the
   * deleting transaction. With `abandon`, containers on an unreachable server are left there.
   */
  async clearProject(
    caller: Caller,
    { id: projectId, serverId }: { id: string; serverId: string | null },
    { volumes, abandon }: RemoveOptions = {},
  ): Promise<(trx: Trx) => Promise<void>> {
    const { here } = this.#machines;
    const { id: organizationId } = caller.organization;
    const rows = await selectOfProject(this.#db, organizationId, projectId);
    const found = await Promise.all(rows.map((row) => partsIfKnown(this.#machines, row)));
    // The volumes may be there even if all deployments were deleted before.
    const home = volumes ? await partsIfKnown(this.#machines, { organizationId, serverId }) : undefined;
    const all = new Set([here, ...[...found, home].filter((parts) => parts !== undefined)]);
    for (const parts of all)
      await requireThere(parts).catch((error: unknown) => {
        if (!abandon) throw error;
        all.delete(parts);
      });
    const isAbandoned = (i: number) => found[i] !== undefined && !all.has(found[i]);
    await Promise.all(
      rows.map(async (row, i) => {
        const ended = isAbandoned(i) ? row : await this.#endedSoon(caller, row);
        await lastWord(this.#db, ended);
      }),
    );
    await endAllActive(this.#db, organizationId, projectId);
    for (const { edge } of all) for (const key of new Set(rows.map(edgeKey))) await edge.remove(key);
    const kept = rows.filter((row, i) => !isAbandoned(i) && this.#deployments.isReached(row));
    const removal: ProjectRemoval = {
      organizationId,
      projectId,
      volumes: volumes ?? false,
      servers: [...all].map(({ server }) => server?.id ?? null),
      deployments: kept.map(({ id, artifactId, imageDigest, serverId }) => {
        return { id, artifactId, imageDigest, serverId };
      }),
    };
    return (trx) => this.#leftovers.note(trx, removal);
  }

  /** Starts the removal once the project is deleted. */
  finishProject(projectId: string): Promise<void> {
    return this.#tasks.begin(projectId);
  }

  /** A deleted project needs no rollback, except for containers that it had adopted. */
  async #endedSoon(caller: Caller, row: DeploymentRow): Promise<DeploymentRow> {
    if (isFinished(row.status)) return row;
    if (Object.keys(await originalsFor(this.#db, row)).length) return this.#ended(caller, row);
    await this.#deployments.end(caller, row);
    return (await this.#untilItEnds(row, endMs)) ?? row;
  }

  async #ended(actor: AuditActor, row: DeploymentRow): Promise<DeploymentRow> {
    if (isFinished(row.status)) return row;
    // The permission to delete includes the permission to cancel. It may also have finished a moment ago.
    if (row.status === 'partial_failure') await this.#deployments.endPending(actor, row, 'reject');
    else await this.#deployments.end(actor, row);
    const ended = await this.#untilItEnds(row, row.status === 'partial_failure' ? rejectMs : cancelMs);
    if (ended) return ended;
    throw new AppError('unavailable', 'the deployment did not stop in time; try again', { retryAfterSeconds: 5 });
  }

  async #untilItEnds(row: DeploymentRow, withinMs: number): Promise<DeploymentRow | undefined> {
    for (const end = Date.now() + withinMs; Date.now() < end; await sleep(100)) {
      const now = await selectDeployment(this.#db, row.organizationId, row.id);
      if (!now || isFinished(now.status)) return now ?? row;
      if (!this.#deployments.isHere(now) && isLongDead(now)) return now;
    }
    return undefined;
  }

  async #clear(row: DeploymentRow, wasActive: boolean, keepFolder: boolean): Promise<void> {
    await lastWord(this.#db, row);
    // The replica that holds the files removes them as leftovers.
    if (!this.#deployments.isReached(row)) return;
    const parts = await partsIfKnown(this.#machines, row);
    if (!parts) return;
    if (row.active) {
      // It became ready before the cancel.
      await updateDeployment(this.#db, row.organizationId, row.id, { active: 0 });
      await parts.edge.remove(edgeKey(row));
    }
    await parts.host.endWork(row.id);
    await this.#removeServices(parts, row, wasActive || row.active === 1);
    if (keepFolder) return;
    // Updated first, so that after a crash no rollback finds a missing artifact.
    await updateDeployment(this.#db, row.organizationId, row.id, { artifactKept: 0 });
    if (isAppRow(row)) await removeArtifact(parts, row);
    else await removeOldImages(parts, row, await this.#allOf(row));
  }

  #allOf = ({ organizationId, projectId }: DeploymentRow): Promise<DeploymentRow[]> =>
    selectOfProject(this.#db, organizationId, projectId);

  /** Removes its containers and those of older deployments that it used, except those that others still use. */
  async #removeServices({ runtime }: Parts, row: DeploymentRow, wasActive: boolean): Promise<void> {
    const all = await this.#allOf(row);
    const used = containersNeeded(all.filter(({ id }) => id !== row.id));
    const own = (await runtime.list()).filter(({ owner }) => owner.deploymentId === row.id);
    const taken = wasActive
      ? serviceStatesOf(row).flatMap(({ name, runsOf }) => (runsOf ? [{ id: runsOf, name }] : []))
      : [];
    const gone = [...own.map(({ owner }) => ({ id: owner.deploymentId, name: owner.service })), ...taken];
    const unused = gone.filter(({ id, name }) => !used.has(containerKey(id, name)));
    await Promise.all(unused.map(({ id, name }) => runtime.remove(id, name)));
    if (unused.length === gone.length) await runtime.remove(row.id);
  }

  /** Whether another deployment runs, or may run, the same artifact. */
  async #isShared(row: DeploymentRow): Promise<boolean> {
    const others = (await this.#allOf(row)).filter(({ id }) => id !== row.id);
    return others.some((each) => each.artifactId === row.artifactId && each.artifactKept === 1);
  }
}

/**
 * Checked before anything changes: containers on an unreachable server could not be stopped and would run on
 * unnoticed.
 */
async function requireThere(parts: Parts | undefined): Promise<void> {
  if (!parts?.server) return;
  const { runtime, server } = parts;
  await untilAborted(runtime.list('image'), AbortSignal.timeout(thereMs)).catch((error: unknown) => {
    const isLate = (error as Error).name === 'TimeoutError';
    if (!isLate && !(error instanceof EngineAwayError)) throw error;
    const why = isLate ? 'no details' : awayReasonOf(error).message;
    throw new AppError(
      'runtime_unavailable',
      `the server ${server.name} does not respond. Nothing was deleted, and apps there keep running`,
      {
        message: `${why}. Delete it when the server responds again, or delete the project with abandon=true.`,
        cause: error,
      },
    );
  });
}

/** A replica that will not come back cannot end its deployments. */
const isLongDead = ({ leaseUntil }: DeploymentRow) => leaseUntil !== null && leaseUntil < Date.now() - 60_000;

const patienceMs = 5000;
const everyMs = 100;

/**
 * Waits until the final status is reported to the git host, so that the commit does not stay pending forever. Gives up
 * soon if the host is away.
 */
async function lastWord(db: Db, row: DeploymentRow): Promise<void> {
  if (!isFinished(row.status)) return;
  for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(everyMs)) {
    const status = await selectStatus(db, row);
    // Everything is reported, or the host never got a status.
    if (!status || (status.told === null && status.attempts === 0)) return;
  }
}
