import { replicaKey } from '../../../drivers/edge/edge.ts';
import { replicaOf } from '../../../drivers/runtime/replicas.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import { containerKey, isBroken, isSiteState, type ServiceState } from '../model/stack.ts';
import { effectiveReplicas } from '../model/scale.ts';
import { selectDeployment } from '../model/store.ts';
import { prepareRelease, replicaOfRelease } from '../release/prepare-release.ts';
import { untilHealthy } from '../rollout/check.ts';
import { healthCriteriaOf } from '../rollout/health-criteria.ts';
import { serviceMessages } from '../rollout/service-messages.ts';
import {
  isStillAtRest,
  type OpenedDeployment,
  openDeployment,
  type RestingStack,
  stacksOfRound,
  type UpkeepDeps,
} from './resting-stacks.ts';
import { isMissingService, byContainerKey } from './services.ts';

const drainMs = 30_000;
const graceMs = 10_000;

type Service = { resting: RestingStack; state: ServiceState; replicas: Instance[]; most: number };

/**
 * Keeps the wanted number of replicas of each service. New ones get requests once they are healthy; slow work
 * continues beside the upkeep rounds.
 */
export class ReplicaUpkeep {
  /** Ids of replicas that are not healthy yet. */
  readonly #unchecked = new Set<string>();
  /** Ids of replicas seen before. */
  readonly #known = new Set<string>();
  readonly #underWay = new Set<string>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Whether the replica may get requests. */
  isReady = (instance: Instance): boolean => !this.#unchecked.has(instance.id);

  /** Starts missing replicas. A service that cannot start does not block the others. */
  startMissing = async (deps: UpkeepDeps): Promise<void> => {
    for (const service of await servicesAtRest(deps)) {
      const { replicas, resting, state } = service;
      // An engine that went away is not asked again for each service.
      if (deps.around.away && !state.folder) continue;
      await this.#recognize(deps, service);
      try {
        const missing = missingOf(service);
        if (missing.length && (await isStillAtRest(deps.db, resting.row))) await this.#start(deps, service, missing);
      } catch (error) {
        deps.around.noticeAway(error);
        deps.log.error(`replicas of ${state.name} of ${resting.row.id} do not start: ${(error as Error).message}`);
      }
      // A replica that was not healthy in time may become so later.
      for (const instance of replicas.filter((each) => isUp(each) && !this.isReady(each)))
        this.#beside(`check ${instance.id}`, deps, () => this.#check(deps, service, instance));
    }
  };

  /** Stops surplus replicas once they have answered their requests. */
  endExtra = async (deps: UpkeepDeps): Promise<void> => {
    for (const { resting, state, replicas, most } of await servicesAtRest(deps)) {
      const extra = replicas.filter(({ owner }) => replicaOf(owner) > most);
      if (!extra.length || !(await isStillAtRest(deps.db, resting.row))) continue;
      const { runsOf, name } = state;
      for (const instance of extra)
        this.#beside(instance.id, deps, async () => {
          const replica = replicaOf(instance.owner);
          await deps.parts.edge.drain(replicaKey(containerKey(runsOf!, name), instance), drainMs);
          if (await isWantedAgain(deps, instance)) return;
          await deps.parts.runtime.stop(runsOf!, graceMs, name, replica);
          await deps.parts.runtime.remove(runsOf!, name, replica);
        });
    }
  };

  #beside(key: string, { log }: UpkeepDeps, act: () => Promise<void>): void {
    if (this.#underWay.has(key)) return;
    this.#underWay.add(key);
    act()
      .catch((error: Error) => log.warn(`checking replicas: ${error.message}`))
      .finally(() => {
        this.#underWay.delete(key);
        this.#onChange();
      });
  }

  /** After a restart of Mooring, replicas that the edge routes to count as healthy. */
  async #recognize({ parts }: UpkeepDeps, { state, replicas }: Service): Promise<void> {
    const others = replicas.filter(({ id, owner }) => replicaOf(owner) > 1 && !this.#known.has(id));
    if (!others.length) return;
    const routes = (await parts.edge.list()).flatMap((each) => each.routes);
    const own = routes.filter(({ deploymentId }) => deploymentId === containerKey(state.runsOf!, state.name));
    const ports = own.flatMap(({ target }) => (target.type === 'upstream' ? [target, ...(target.others ?? [])] : []));
    for (const { id, port } of others) {
      this.#known.add(id);
      if (ports.length && !ports.some((each) => each.port === port)) this.#unchecked.add(id);
    }
  }

  async #start(deps: UpkeepDeps, service: Service, numbers: number[]): Promise<void> {
    const made = await madeBy(deps, service);
    if (!made) return;
    const { name } = service.state;
    const spec = await prepareRelease(deps.parts, { ...made, deployment: made.row }, name, false);
    for (const number of numbers) {
      const instance = await deps.parts.runtime.start(replicaOfRelease(spec, number));
      this.#known.add(instance.id);
      this.#unchecked.add(instance.id);
      this.#beside(`check ${instance.id}`, deps, () => this.#check(deps, service, instance));
    }
  }

  async #check({ parts }: UpkeepDeps, { resting, state }: Service, instance: Instance): Promise<void> {
    const { config, stack, states, row } = resting;
    const { deploymentId, service } = instance.owner;
    const replica = replicaOf(instance.owner);
    const signal = new AbortController().signal;
    const target = { parts, signal, deploymentId, service, replica, log: () => {}, words: serviceMessages };
    try {
      await untilHealthy(target, await healthCriteriaOf({ parts, config, deployment: row, stack, states }, state.name));
      this.#unchecked.delete(instance.id);
    } catch (error) {
      const what = `replica ${replica} of ${state.name} of ${row.id}`;
      throw new Error(`${what} gets no requests yet: ${(error as Error).message}`, { cause: error });
    }
  }
}

/** Returns the numbers of missing replicas, without the first, which `reviveServices` starts. */
function missingOf({ most, replicas, resting, state }: Service): number[] {
  const isThere = (number: number) => {
    const found = replicas.find(({ owner }) => replicaOf(owner) === number);
    return found !== undefined && !isMissingService(resting, state, found);
  };
  return Array.from({ length: most }, (_, index) => index + 1).filter((each) => each > 1 && !isThere(each));
}

/** The service was scaled up again while this replica was draining, so it gets new requests. */
async function isWantedAgain(deps: UpkeepDeps, { owner }: Instance): Promise<boolean> {
  const { seen: _, ...now } = deps;
  const services = await servicesAtRest(now);
  return services.some(
    ({ state, most }) =>
      state.runsOf === owner.deploymentId && state.name === owner.service && replicaOf(owner) <= most,
  );
}

const isUp = ({ state }: Instance): boolean => state === 'running' || state === 'restarting';

/** Returns the running replicas and the wanted number of each service at rest. */
export async function servicesAtRest(deps: UpkeepDeps): Promise<Service[]> {
  const running = byContainerKey((await deps.around.look()).all);
  return (await stacksOfRound(deps)).resting.flatMap((resting) =>
    resting.states.flatMap((state): Service[] => {
      const found = state.runsOf === null ? undefined : running.get(containerKey(state.runsOf, state.name));
      // Without its first replica there is nothing to add to; `reviveServices` starts that one.
      if (!found || isSiteState(state) || isBroken(state) || state.isOver) return [];
      const { others = [], ...first } = found;
      return [{ resting, state, replicas: [first, ...others], most: effectiveReplicas(resting, state.name) }];
    }),
  );
}

/** Returns the deployment that the service runs from, so that its replicas are alike. */
async function madeBy({ db, sealer }: UpkeepDeps, { resting, state }: Service): Promise<OpenedDeployment | undefined> {
  if (state.runsOf === resting.row.id) return resting;
  const row = await selectDeployment(db, resting.row.organizationId, state.runsOf!);
  return row && row.stack !== null ? openDeployment(sealer, row) : undefined;
}
