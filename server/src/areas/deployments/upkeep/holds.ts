import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { startOrder } from '../../../compose/index.ts';
import { type DatabaseKind, type Db, inTransaction } from '../../../db/database.ts';
import { newId } from '../../../lib/ids.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { deleteHold, type ServiceHold, saveHold, selectHolds, type StoredHold } from '../model/hold-store.ts';
import type { Machines } from '../model/machines.ts';
import type { Parts } from '../model/parts.ts';
import { isSiteState } from '../model/stack.ts';
import { lockQueue } from '../model/queue.ts';
import { type DeploymentRow, isUnderWay, selectDeployment } from '../model/store.ts';
import { type OpenedDeployment, openDeployment, stacksOfRound, type UpkeepDeps } from './resting-stacks.ts';
import { restartService } from './services.ts';

const graceMs = 10_000;

type Deps = { db: Db; machines: Pick<Machines, 'of'>; sealer: Sealer };
type Wanted = Pick<ServiceHold, 'jobId'> & { how: 'pause' | 'stop' } & {
  resting: OpenedDeployment;
  parts: Parts;
  services: readonly string[];
};

/** A hold that is in effect. */
export interface ActiveHold {
  /** Notes what a crash from now on would leave behind. */
  note(change: Pick<ServiceHold, 'replacing' | 'incomplete'>): Promise<void>;
  /** Continues the services, whatever happened meanwhile. */
  end(): Promise<void>;
}

/**
 * Pauses or stops services while their data is read or replaced. A hold is stored before it takes effect, so that
 * `recover` finds it after a crash. Upkeep leaves deployments with a hold alone.
 */
export class ServiceHolds {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async begin({ resting, parts, services, jobId, how }: Wanted): Promise<ActiveHold> {
    const { db } = this.#deps;
    const { id: deploymentId, organizationId } = resting.row;
    // Another restore may complete a volume that a failed one left incomplete.
    const isSame = (each: StoredHold) =>
      each.deploymentId === deploymentId && each.how === how && (each.jobId === jobId || Boolean(each.incomplete));
    const earlier = (await selectHolds(db)).find(isSame);
    const running = await runningOf(parts, resting, services);
    // Services that an interrupted attempt of the same job has stopped still have to be started.
    const known = (earlier?.services ?? []).filter((each) => !running.some((one) => isSameService(one, each)));
    const hold: StoredHold = {
      ...(earlier ?? { id: newId('tsk') }),
      organizationId,
      deploymentId,
      jobId,
      how,
      services: [...known, ...running],
      isOver: false,
    };
    await saveHold(db, hold);
    const note: ActiveHold['note'] = (change) => saveHold(db, Object.assign(hold, change)).then(() => {});
    try {
      if (earlier) await putBack(hold);
      for (const { deploymentId: id, service } of running)
        if (how === 'pause') await parts.runtime.pause(id, service);
        else await parts.runtime.stop(id, graceMs, service);
    } catch (error) {
      await this.#end(hold);
      throw error;
    }
    return { note, end: () => this.#end(hold) };
  }

  /** Ends the holds of a job that was interrupted. Returns the volumes that are incomplete: their services stay
   * stopped. */
  async recover(jobId: string): Promise<string[]> {
    const own = (await selectHolds(this.#deps.db)).filter((hold) => hold.jobId === jobId);
    // Deployments must not wait for services that cannot be continued.
    for (const hold of own) if (hold.how === 'gate') await deleteHold(this.#deps.db, hold);
    for (const hold of own) if (hold.how !== 'gate') await this.#end(hold);
    return own.flatMap(({ incomplete }) => incomplete?.volume.name ?? []);
  }

  /** Resumes services whose engine was away when their backup ended. */
  async resumeLeft(isHere: (row: DeploymentRow) => boolean): Promise<void> {
    const { db } = this.#deps;
    for (const hold of (await selectHolds(db)).filter(({ isOver }) => isOver)) {
      const row = await selectDeployment(db, hold.organizationId, hold.deploymentId);
      if (!row || isHere(row)) await this.#end(hold);
    }
  }

  async #end(hold: StoredHold): Promise<void> {
    const { db, machines, sealer } = this.#deps;
    if (hold.incomplete) return;
    const row = await selectDeployment(db, hold.organizationId, hold.deploymentId);
    if (!row) return void (await deleteHold(db, hold));
    const parts = await machines.of(row);
    await putBack(hold);
    const errors: unknown[] = [];
    // Those of another deployment meanwhile are not ours to start.
    const resting = hold.how === 'stop' && row.active === 1 ? openDeployment(sealer, row) : undefined;
    const order = resting ? startOrder(resting.stack.project.services).flat() : [];
    const sorted = hold.services.toSorted((a, b) => order.indexOf(a.service) - order.indexOf(b.service));
    for (const each of sorted)
      try {
        if (hold.how === 'pause') await parts.runtime.resume(each.deploymentId, each.service);
        else if (resting) await start({ db, parts }, resting, each.service);
      } catch (error) {
        errors.push(error);
      }
    // Upkeep starts what did not start, and resumes what the hold names.
    if (hold.how === 'stop' || !errors.length) await deleteHold(db, hold);
    else await saveHold(db, { ...hold, isOver: true });
    if (errors.length) throw errors[0];
  }
}

const isSameService = (a: ServiceHold['services'][number], b: ServiceHold['services'][number]): boolean =>
  a.deploymentId === b.deploymentId && a.service === b.service;

async function runningOf(
  { runtime }: Parts,
  { states }: OpenedDeployment,
  names: readonly string[],
): Promise<ServiceHold['services']> {
  const wanted = states.filter((state) => names.includes(state.name) && state.runsOf !== null && !isSiteState(state));
  const found = await Promise.all(
    wanted.map(async ({ name, runsOf }) => {
      const instance = await runtime.find(runsOf!, name);
      const isUp = [instance, ...(instance?.others ?? [])].some(
        (each) => each?.state === 'running' || each?.state === 'restarting',
      );
      return isUp ? [{ deploymentId: runsOf!, service: name }] : [];
    }),
  );
  return found.flat();
}

/** A crash between two renames leaves no folder at all, and a service would start with an empty one. */
async function putBack({ replacing }: ServiceHold): Promise<void> {
  if (replacing && !existsSync(replacing.folder) && existsSync(replacing.aside))
    await rename(replacing.aside, replacing.folder);
}

async function start(deps: { db: Db; parts: Parts }, resting: OpenedDeployment, service: string): Promise<void> {
  const state = resting.states.find(({ name }) => name === service);
  if (!state || state.runsOf === null) return;
  const instance = await deps.parts.runtime.find(state.runsOf, service);
  if (instance?.state !== 'running') await restartService(deps, { ...resting, before: undefined }, state, instance);
}

/** Makes deployments of the environment wait until the job ends its holds. Returns false if one runs now. */
export const gateDeployments = (
  { db, kind }: { db: Db; kind: DatabaseKind },
  { id: deploymentId, organizationId, projectId, environment }: DeploymentRow,
  jobId: string,
): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    await lockQueue(trx, kind);
    if (await isUnderWay(trx, projectId, environment, ['building', 'deploying', 'partial_failure'])) return false;
    const isThere = (await selectHolds(trx)).some((hold) => hold.how === 'gate' && hold.jobId === jobId);
    if (!isThere)
      await saveHold(trx, { id: newId('tsk'), organizationId, deploymentId, jobId, how: 'gate', services: [] });
    return true;
  });

/** A duty of the upkeep of one machine. */
export async function resumeServices(deps: UpkeepDeps): Promise<void> {
  const { db, sealer, parts, owner } = deps;
  if (!(await stacksOfRound(deps)).holds.some(({ isOver }) => isOver)) return;
  await new ServiceHolds({ db, sealer, machines: { of: async () => parts } }).resumeLeft(({ serverId, machine }) =>
    parts.server ? serverId === parts.server.id : serverId === null && (machine === null || machine === owner),
  );
}
