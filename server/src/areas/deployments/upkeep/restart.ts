import { setTimeout as sleep } from 'node:timers/promises';
import { z } from '../../../lib/zod/index.ts';
import { type Db, inTransaction, type Trx } from '../../../db/database.ts';
import { storedJson } from '../../../db/stored-json.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import { newId } from '../../../lib/ids.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { type OpenedDeployment, openDeployment } from './resting-stacks.ts';
import { isMissingService } from './services.ts';
import { prepareRelease } from '../release/prepare-release.ts';
import { selectTasksOfKind } from '../model/background-store.ts';
import type { BackgroundTasks } from './background-tasks.ts';
import type { Machines } from '../model/machines.ts';
import type { Parts } from '../model/parts.ts';
import { tcpAnswers } from '../rollout/probes.ts';
import { containerKey, isAppRow, isSiteState } from '../model/stack.ts';
import { type DeploymentRow, isBeingChanged, selectDeployment } from '../model/store.ts';

const holdMs = 30_000;
const drainMs = 10_000;
const lookMs = 50;

type Deps = { db: Db; machines: Machines; sealer: Sealer; log: Log; tasks: BackgroundTasks };

const taskKind = 'restart';
/** The containers at the time of the request: one that was started since is not restarted again. */
const Restart = z.object({
  organizationId: z.string(),
  deploymentId: z.string(),
  containers: z.array(z.object({ deploymentId: z.string(), service: z.string(), startedAt: z.number().nullable() })),
});
type Restart = z.infer<typeof Restart>;
const readRestart = storedJson('background_tasks.details', Restart);

/**
 * Restarts releases without losing requests: the edge holds new ones until those in flight are answered and the app is
 * back.
 */
export class Restarts {
  readonly #deps: Deps;
  readonly #underWay = new Map<string, Promise<string | undefined>>();

  /** Why a restart that a request waits for has failed. */
  readonly #failures = new Map<string, string | undefined>();

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.tasks.handle(taskKind, (details, id) => this.#perform(readRestart(details), id));
  }

  /**
   * Restarts the containers of a deployment. Since they may take long to stop, this continues in the background, even
   * after a kill. Returns why it failed, if that is known within a moment.
   */
  async request(
    deployment: DeploymentRow,
    running: Instance[],
    also: (trx: Trx) => Promise<void>,
  ): Promise<string | undefined> {
    const { db, tasks } = this.#deps;
    const id = newId('tsk');
    const containers = running.map(({ owner, startedAt }) => ({
      deploymentId: owner.deploymentId,
      service: owner.service,
      startedAt,
    }));
    this.#failures.set(id, undefined);
    try {
      await inTransaction(db, async (trx) => {
        const restart: Restart = {
          organizationId: deployment.organizationId,
          deploymentId: deployment.id,
          containers,
        };
        await tasks.add(trx, taskKind, id, restart);
        await also(trx);
      });
      await tasks.begin(id);
      return this.#failures.get(id);
    } finally {
      this.#failures.delete(id);
    }
  }

  async #perform({ organizationId, deploymentId, containers }: Restart, id: string): Promise<void> {
    const { db, machines, log } = this.#deps;
    const row = await selectDeployment(db, organizationId, deploymentId);
    // The deployment was deleted or replaced meanwhile.
    if (!row || (!row.active && row.status !== 'partial_failure')) return;
    const { runtime } = await machines.of(row);
    const now = await Promise.all(
      containers.map(async ({ startedAt, ...each }) => {
        const instance = await runtime.find(each.deploymentId, each.service);
        return instance?.startedAt === startedAt && isUp(instance) ? [instance] : [];
      }),
    );
    if (!now.flat().length) return;
    const failure = await this.restartAll(row, now.flat()).then(
      (why) => why && `it did not come back after its restart: ${why}; see its log`,
      (error: Error) => {
        log.warn(`the restart of ${deploymentId} failed: ${error.message}`);
        return 'it cannot be restarted; redeploy it instead';
      },
    );
    if (!failure) return;
    log.warn(`${deploymentId}: ${failure}`);
    if (this.#failures.has(id)) this.#failures.set(id, failure);
  }

  /** Whether a container is being restarted, by its key at the edge. */
  isUnderWay(key: string): boolean {
    return this.#underWay.has(key);
  }

  isRestarting({ owner: { deploymentId, service } }: Instance): boolean {
    return this.isUnderWay(containerKey(deploymentId, service));
  }

  /** Joins a restart that is under way: two at once would end each other's hold. */
  #once(parts: Parts, id: string, begin: () => Promise<Instance>): Promise<string | undefined> {
    const underWay = this.#underWay.get(id) ?? this.#restart(parts, id, begin).finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, underWay);
    return underWay;
  }

  /** Restarts all given instances of a deployment at the same time. */
  async restartAll(deployment: DeploymentRow, running: Instance[]): Promise<string | undefined> {
    const parts = await this.#deps.machines.of(deployment);
    const outcomes = await Promise.all(
      running.map(async (instance) => {
        const { deploymentId, service } = instance.owner;
        const begin = () => this.#begin(parts, deployment, instance);
        const why = await this.#once(parts, containerKey(deploymentId, service), begin);
        return why && (isAppRow(deployment) ? why : `${service}: ${why}`);
      }),
    );
    return outcomes.filter(Boolean).join('; ') || undefined;
  }

  /**
   * Finishes restarts of a previous process that died: the app comes back on its own, but held requests would wait for
   * the whole hold.
   */
  async finishThoseBefore(parts: Parts): Promise<void> {
    const { edge, runtime } = parts;
    const giveUp = Date.now() + holdMs;
    try {
      const asked = await this.#askedFor();
      const held = (await edge.held()).filter((id) => !this.#underWay.has(id));
      for (const id of held) {
        const [deploymentId = id, service] = id.split('/');
        // A worker that is replacing services continues and resumes them itself.
        if (service !== undefined && (await isBeingChanged(this.#deps.db, deploymentId))) continue;
        const instance = await runtime.find(deploymentId, service);
        // It is still to be restarted, and is resumed after that.
        if (asked.has(id) && asked.get(id) === instance?.startedAt) continue;
        if (instance) await untilItAnswers(parts, instance, giveUp);
        if (!this.#underWay.has(id)) await edge.resume(id);
      }
    } catch (error) {
      this.#deps.log.warn(`requests keep waiting for an unfinished restart: ${(error as Error).message}`);
    }
  }

  /** Containers with a pending restart, by their key at the edge, with their start time at the request. */
  async #askedFor(): Promise<Map<string, number | null>> {
    const tasks = await selectTasksOfKind(this.#deps.db, taskKind);
    const containers = tasks.flatMap(({ details }) => readRestart(details).containers);
    return new Map(
      containers.map(({ deploymentId, service, startedAt }) => [containerKey(deploymentId, service), startedAt]),
    );
  }

  async #restart(parts: Parts, id: string, begin: () => Promise<Instance>): Promise<string | undefined> {
    const { edge } = parts;
    const giveUp = Date.now() + holdMs;
    // Without an edge no requests can be lost, and a restart may be what fixes the problem.
    const without = (error: Error) =>
      this.#deps.log.warn(`the restart of ${id} continues without the edge: ${error.message}`);
    const left = await edge.hold(id, { withinMs: holdMs, drainMs }).catch(without);
    if (left) this.#deps.log.info(`${left} requests to ${id} took longer than ${drainMs / 1000} s before its restart`);
    try {
      return await untilItAnswers(parts, await begin(), giveUp);
    } finally {
      await edge.resume(id).catch(without);
    }
  }

  /** Only a supervisor can restart a process, so a killed one is replaced first. */
  async #begin(parts: Parts, deployment: DeploymentRow, { isOrphan, owner }: Instance): Promise<Instance> {
    const { runtime } = parts;
    if (isOrphan) {
      const { row, ...made } = openDeployment(this.#deps.sealer, deployment);
      await runtime.start(await prepareRelease(parts, { deployment: row, ...made }, owner.service, true));
    }
    return runtime.restart(owner.deploymentId, owner.service);
  }
}

/** Waits until the services of a release respond. Returns the reason for each one that does not. */
export const untilServing = async (parts: Parts, resting: OpenedDeployment): Promise<string[]> => {
  const reasons = await Promise.all(
    resting.states.map(async (state): Promise<string | undefined> => {
      if (state.runsOf === null || isSiteState(state)) return undefined;
      const instance = await parts.runtime.find(state.runsOf, state.name);
      const isMissing = isMissingService({ ...resting, before: undefined }, state, instance);
      const isHere = instance !== undefined && isUp(instance);
      const why = isMissing ? `it exited with ${endOf(instance)}` : isHere && (await untilItAnswers(parts, instance));
      return why ? `${state.isApp ? 'the app' : state.name} did not come back: ${why}` : undefined;
    }),
  );
  return reasons.filter((each) => each !== undefined);
};

/** Waits until the instance responds. Returns the reason if it exits or the time is up. */
async function untilItAnswers(
  { runtime, openPort }: Parts,
  instance: Instance,
  giveUp = Date.now() + holdMs,
): Promise<string | undefined> {
  const { port, restarts, owner } = instance;
  for (;;) {
    // An instance without a known port only has to run.
    const outcome = port === 0 || (await tcpAnswers(openPort, instance, AbortSignal.timeout(holdMs)));
    if (outcome === true) return undefined;
    const now = await runtime.find(owner.deploymentId, owner.service);
    if (!now || !isUp(now) || now.restarts > restarts) return `it exited again with ${endOf(now)}`;
    if (Date.now() > giveUp) return `it does not respond on port ${port}: ${outcome}`;
    await sleep(lookMs);
  }
}

const isUp = ({ state }: Instance): boolean => state === 'running' || state === 'restarting';

const endOf = (instance: Instance | undefined): string =>
  instance?.exitSignal ??
  (typeof instance?.exitCode === 'number' ? `exit code ${instance.exitCode}` : 'an unknown reason');
