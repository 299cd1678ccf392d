import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, inTransaction } from '../../db/database.ts';
import { EngineAwayError } from '../../drivers/runtime/errors.ts';
import { AppError } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { removeTree } from '../../lib/remove-tree.ts';
import { recordAudit } from '../access/audit/service.ts';
import { removeArtifact } from './artifact.ts';
import { reasonOf } from './failure.ts';
import { inTime } from './in-time.ts';
import { isFinished } from './model.ts';
import { ifKnown, type Machines } from './machines.ts';
import { PackageStore } from './packages/package-store.ts';
import type { Containers, Parts } from './parts.ts';
import { lastWord } from './pushes/last-word.ts';
import type { Deployments } from './service.ts';
import { containersNeeded } from './stack/in-use.ts';
import { containerKey, statesOf } from './stack/model.ts';
import { removeOldImages } from './stack/tidy-services.ts';
import { deleteDeployment, type DeploymentRow, selectDeployment, selectOfProject, updateDeployment } from './store.ts';
import { selectPending } from './stack/store.ts';
import { edgeKey } from './steps/route.ts';

const cancelMs = 20_000;
/** Services have to come back. */
const rejectMs = 60_000;
/** Of a server, to say that it is there. */
const thereMs = 8_000;

/** Deletes deployments with everything that is theirs: what runs, its routes, folders and history. Volumes stay. */
export class Removal {
  readonly #db: Db;
  readonly #machines: Machines;
  readonly #deployments: Deployments;

  constructor(db: Db, machines: Machines, deployments: Deployments) {
    this.#db = db;
    this.#machines = machines;
    this.#deployments = deployments;
  }

  async remove(caller: Caller, id: string): Promise<void> {
    const row = await this.#ended(caller, await this.#deployments.get(caller, id, 'admin'));
    if (row.active) await this.#requireDecided(row);
    if (this.#deployments.isReached(row)) await requireThere(await ifKnown(this.#machines, row));
    await this.#clear(row, await this.#isShared(row));
    await inTransaction(this.#db, async (trx) => {
      await deleteDeployment(trx, row.organization_id, id);
      await recordAudit(trx, row.organization_id, caller, { action: 'deployment.deleted', target: { id, name: id } });
    });
  }

  /** What came out half stands on what served before it, until somebody has decided. */
  async #requireDecided({ organization_id, project_id, environment }: DeploymentRow): Promise<void> {
    const pending = await selectPending(this.#db, organization_id, project_id, environment);
    if (pending)
      throw new AppError('decision_pending', `deployment ${pending.id} waits for a decision; keep or reject it first`);
  }

  /** Before a project is deleted: nothing of it may go on running, unless it is abandoned together with a server that is gone. */
  async clearProject(
    caller: Caller,
    projectId: string,
    { volumes, abandon }: { volumes?: boolean; abandon?: boolean } = {},
  ): Promise<void> {
    const { here } = this.#machines;
    const rows = await selectOfProject(this.#db, caller.organization.id, projectId);
    const found = await Promise.all(rows.map((row) => ifKnown(this.#machines, row)));
    const all = new Set([here, ...found.filter((parts) => parts !== undefined)]);
    for (const parts of all)
      await requireThere(parts).catch((error: unknown) => {
        if (!abandon) throw error;
        all.delete(parts);
      });
    for (const [i, row] of rows.entries()) {
      const isAbandoned = found[i] !== undefined && !all.has(found[i]);
      if (isAbandoned) await lastWord(this.#db, row);
      else await this.#clear(await this.#ended(caller, row), false);
      await deleteDeployment(this.#db, row.organization_id, row.id);
    }
    await removeTree(here.folders.home(projectId));
    await new PackageStore(here.folders.packages(caller.organization.id)).forget(projectId);
    for (const { containers, contents } of all) {
      if (containers) await this.#removeImages(containers, projectId);
      // What containers have written stays, as volumes do, unless somebody wants to be rid of it.
      await contents.removeProject(projectId, { binds: volumes ?? false });
      if (volumes) await containers?.services.removeVolumes({ projectId });
      await containers?.removeUnusedFiles?.();
    }
  }

  /** Also those of deployments that were deleted before, when others ran from them. */
  async #removeImages({ images }: Containers, projectId: string): Promise<void> {
    const own = (await images.list()).filter(({ owner }) => owner.projectId === projectId);
    for (const { image } of own) await images.remove(image);
  }

  async #ended(caller: Caller, row: DeploymentRow): Promise<DeploymentRow> {
    if (isFinished(row.status)) return row;
    // Whoever may delete may end it. It may also have finished by itself a moment ago.
    if (row.status === 'partial_failure') await this.#deployments.endPending(caller, row, 'reject');
    else await this.#deployments.end(caller, row);
    const withinMs = row.status === 'partial_failure' ? rejectMs : cancelMs;
    for (const end = Date.now() + withinMs; Date.now() < end; await sleep(100)) {
      const now = await selectDeployment(this.#db, row.organization_id, row.id);
      if (!now || isFinished(now.status)) return now ?? row;
      if (!this.#deployments.isHere(now) && isLongDead(now)) return now;
    }
    throw new AppError('unavailable', 'the deployment did not stop in time; try again', { retryAfterSeconds: 5 });
  }

  async #clear(row: DeploymentRow, keepFolder: boolean): Promise<void> {
    await lastWord(this.#db, row);
    // The replica that has it removes what no deployment wants any more.
    if (!this.#deployments.isReached(row)) return;
    const parts = await ifKnown(this.#machines, row);
    if (!parts) return;
    if (row.active) {
      // Before anything of it ends: nobody is to start that again.
      await updateDeployment(this.#db, row.organization_id, row.id, { active: 0 });
      await parts.edge.remove(edgeKey(row));
    }
    await parts.host.endWork(row.id);
    if (row.stack === null) await parts.runtime.remove(row.id);
    else await this.#removeServices(parts, row);
    if (keepFolder) return;
    // First: should we be killed meanwhile, nobody rolls back to what is not there.
    await updateDeployment(this.#db, row.organization_id, row.id, { artifact_kept: 0 });
    if (row.stack === null) await removeArtifact(parts, row);
    else await removeOldImages(parts, row, await this.#allOf(row));
  }

  #allOf = ({ organization_id, project_id }: DeploymentRow): Promise<DeploymentRow[]> =>
    selectOfProject(this.#db, organization_id, project_id);

  /** Its containers, and those of older deployments that it had taken over; but not what others have taken over of it. */
  async #removeServices({ runtime }: Parts, row: DeploymentRow): Promise<void> {
    const all = await this.#allOf(row);
    const used = containersNeeded(all.filter(({ id }) => id !== row.id));
    const own = (await runtime.list('image')).filter(({ owner }) => owner.deploymentId === row.id);
    const taken = row.active ? statesOf(row).flatMap(({ name, runsOf }) => (runsOf ? [{ id: runsOf, name }] : [])) : [];
    const gone = [...own.map(({ owner }) => ({ id: owner.deploymentId, name: owner.service })), ...taken];
    for (const { id, name } of gone) if (!used.has(containerKey(id, name))) await runtime.remove(id, name);
    if (!gone.some(({ id, name }) => used.has(containerKey(id, name)))) await runtime.remove(row.id);
  }

  /** Another deployment runs, or may run, what this one built. */
  async #isShared(row: DeploymentRow): Promise<boolean> {
    const others = (await this.#allOf(row)).filter(({ id }) => id !== row.id);
    return others.some((each) => each.artifact_id === row.artifact_id && each.artifact_kept === 1);
  }
}

/** Before anything is changed: what runs on a server that is away could not be ended, and would go on without anybody who knows. */
async function requireThere(parts: Parts | undefined): Promise<void> {
  if (!parts?.server) return;
  const { runtime, server } = parts;
  await inTime(runtime.list('image'), AbortSignal.timeout(thereMs)).catch((error: unknown) => {
    const isLate = (error as Error).name === 'TimeoutError';
    if (!isLate && !(error instanceof EngineAwayError)) throw error;
    const why = isLate ? 'it says nothing' : reasonOf(error).message;
    throw new AppError(
      'runtime_unavailable',
      `the server ${server.name} does not answer, and nothing was deleted: what runs there goes on`,
      {
        message: `${why}. Delete it when the server answers again; a project can be deleted with abandon=true.`,
        cause: error,
      },
    );
  });
}

/** A replica that will not come back cannot end what it held. */
const isLongDead = ({ lease_until }: DeploymentRow) => lease_until !== null && lease_until < Date.now() - 60_000;
