import { replicaKey } from '../../../drivers/edge/edge.ts';
import { replicaOf } from '../../../drivers/runtime/replicas.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import { containerKey, isBroken, isSiteState, type ServiceState } from '../model/stack.ts';
import { replicasOf } from '../model/scale.ts';
import { selectDeployment } from '../model/store.ts';
import { releaseOf, replicaOfRelease } from '../release/release-of.ts';
import { provesItself } from '../rollout/check.ts';
import { proofOf } from '../rollout/proof.ts';
import { wordsOfService } from '../rollout/service-words.ts';
import {
  isMissed,
  isStillAtRest,
  keyed,
  type Resting,
  restingOf,
  type RestingStack,
  restingStacks,
  type UpkeepDeps,
} from './services.ts';

const drainMs = 30_000;
const graceMs = 10_000;

type Service = { resting: RestingStack; state: ServiceState; replicas: Instance[]; most: number };

/** Keeps as many replicas of each service as somebody wants. New ones get requests when they have shown that they work; what
 * takes its time goes on beside the rounds of upkeep. */
export class ReplicaUpkeep {
  /** Ids of those that have not shown yet that they work. */
  readonly #unproven = new Set<string>();
  /** Ids of those that were seen before. */
  readonly #known = new Set<string>();
  readonly #underWay = new Set<string>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Whether it may get requests. */
  isReady = (instance: Instance): boolean => !this.#unproven.has(instance.id);

  /** Starts those that are missing. A service that cannot be started does not hold up the others. */
  startMissing = async (deps: UpkeepDeps): Promise<void> => {
    for (const service of await servicesOf(deps)) {
      const { replicas, resting, state } = service;
      // An engine that went away meanwhile is not asked for each service again.
      if (deps.around.away && !state.folder) continue;
      await this.#recognize(deps, service);
      try {
        const missing = missingOf(service);
        if (missing.length && (await isStillAtRest(deps.db, resting.row))) await this.#start(deps, service, missing);
      } catch (error) {
        deps.around.noticeAway(error);
        deps.log.error(`replicas of ${state.name} of ${resting.row.id} do not start: ${(error as Error).message}`);
      }
      // One that has not shown it in time may do so later.
      for (const instance of replicas.filter((each) => isUp(each) && !this.isReady(each)))
        this.#beside(`prove ${instance.id}`, deps, () => this.#prove(deps, service, instance));
    }
  };

  /** Ends those that are too many, once they have answered what they have begun. */
  endExtra = async (deps: UpkeepDeps): Promise<void> => {
    for (const { resting, state, replicas, most } of await servicesOf(deps)) {
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
      .catch((error: Error) => log.warn(`looking after replicas: ${error.message}`))
      .finally(() => {
        this.#underWay.delete(key);
        this.#onChange();
      });
  }

  /** The service was restarted since they were started: those that the edge leads to have shown that they work. */
  async #recognize({ parts }: UpkeepDeps, { state, replicas }: Service): Promise<void> {
    const others = replicas.filter(({ id, owner }) => replicaOf(owner) > 1 && !this.#known.has(id));
    if (!others.length) return;
    const routes = (await parts.edge.list()).flatMap((each) => each.routes);
    const own = routes.filter(({ deploymentId }) => deploymentId === containerKey(state.runsOf!, state.name));
    const ports = own.flatMap(({ target }) => (target.type === 'upstream' ? [target, ...(target.others ?? [])] : []));
    for (const { id, port } of others) {
      this.#known.add(id);
      if (ports.length && !ports.some((each) => each.port === port)) this.#unproven.add(id);
    }
  }

  async #start(deps: UpkeepDeps, service: Service, numbers: number[]): Promise<void> {
    const made = await madeBy(deps, service);
    if (!made) return;
    const { name } = service.state;
    const spec = await releaseOf(deps.parts, { ...made, deployment: made.row }, name, false);
    for (const number of numbers) {
      const instance = await deps.parts.runtime.start(replicaOfRelease(spec, number));
      this.#known.add(instance.id);
      this.#unproven.add(instance.id);
      this.#beside(`prove ${instance.id}`, deps, () => this.#prove(deps, service, instance));
    }
  }

  async #prove({ parts }: UpkeepDeps, { resting, state }: Service, instance: Instance): Promise<void> {
    const { config, stack, states, row } = resting;
    const { deploymentId, service } = instance.owner;
    const replica = replicaOf(instance.owner);
    const signal = new AbortController().signal;
    const target = { parts, signal, deploymentId, service, replica, log: () => {}, words: wordsOfService };
    try {
      await provesItself(target, proofOf({ parts, config, environment: row.environment, stack, states }, state.name));
      this.#unproven.delete(instance.id);
    } catch (error) {
      const what = `replica ${replica} of ${state.name} of ${row.id}`;
      throw new Error(`${what} gets no requests yet: ${(error as Error).message}`, { cause: error });
    }
  }
}

/** The numbers of those that do not run; without the first one, which others start. */
function missingOf({ most, replicas, resting, state }: Service): number[] {
  const isThere = (number: number) => {
    const found = replicas.find(({ owner }) => replicaOf(owner) === number);
    return found !== undefined && !isMissed(resting, state, found);
  };
  return Array.from({ length: most }, (_, index) => index + 1).filter((each) => each > 1 && !isThere(each));
}

/** Somebody has scaled the service up while one of its replicas was still answering: that gets new requests. */
async function isWantedAgain(deps: UpkeepDeps, { owner }: Instance): Promise<boolean> {
  const services = await servicesOf(deps);
  return services.some(
    ({ state, most }) =>
      state.runsOf === owner.deploymentId && state.name === owner.service && replicaOf(owner) <= most,
  );
}

const isUp = ({ state }: Instance): boolean => state === 'running' || state === 'restarting';

/** What runs of each service that is at rest, and how many there should be. */
async function servicesOf(deps: UpkeepDeps): Promise<Service[]> {
  const running = keyed((await deps.around.look()).all);
  return (await restingStacks(deps)).flatMap((resting) =>
    resting.states.flatMap((state): Service[] => {
      const found = state.runsOf === null ? undefined : running.get(containerKey(state.runsOf, state.name));
      // Without the first one there is nothing to add to: that is started again by others.
      if (!found || isSiteState(state) || isBroken(state) || state.isOver) return [];
      const { others = [], ...first } = found;
      return [{ resting, state, replicas: [first, ...others], most: replicasOf(resting, state.name) }];
    }),
  );
}

/** The deployment that the service runs from: its replicas are alike. */
async function madeBy({ db, sealer }: UpkeepDeps, { resting, state }: Service): Promise<Resting | undefined> {
  if (state.runsOf === resting.row.id) return resting;
  const row = await selectDeployment(db, resting.row.organizationId, state.runsOf!);
  return row && row.stack !== null ? restingOf(sealer, row) : undefined;
}
