import type { Instance } from '../../../drivers/runtime/runtime.ts';
import { tcpAnswers } from '../rollout/probes.ts';
import { servicesAtRest } from './replicas.ts';
import { isStillAtRest, type UpkeepDeps } from './resting-stacks.ts';

const startMs = 20_000;
const answerMs = 5000;

/**
 * Restarts a container that was restarted by the engine and now refuses connections. A killed engine can leave the
 * network of the container's previous run behind, with the same address, which then gets the requests.
 */
export class UnreachableUpkeep {
  /** Start of the run in which a container was last known to respond. */
  readonly #responded = new Map<string, number | null>();
  readonly #restarted = new Set<string>();

  look = async (deps: UpkeepDeps): Promise<void> => {
    const services = await servicesAtRest(deps);
    const ids = new Set(services.map(({ replicas: [first] }) => first!.id));
    for (const id of this.#responded.keys()) if (!ids.has(id)) this.#forget(id);
    for (const { resting, state, replicas } of services) {
      const [first] = replicas as [Instance];
      if (deps.around.away || first.image === undefined || first.port === 0 || first.state !== 'running') continue;
      if (!(await this.#refuses(deps, first)) || !(await isStillAtRest(deps.db, resting.row))) continue;
      this.#restarted.add(first.id);
      deps.log.warn(`${state.name} of ${resting.row.id} runs but refuses connections, and is restarted`);
      await deps.parts.runtime.restart(state.runsOf!, state.name);
    }
  };

  /** Whether it does not respond since it was restarted by something else. Says so once until it responds again. */
  async #refuses({ parts }: UpkeepDeps, instance: Instance): Promise<boolean> {
    const { id, startedAt } = instance;
    if (!this.#responded.has(id)) this.#responded.set(id, startedAt);
    if (this.#responded.get(id) === startedAt) return false;
    if ((await tcpAnswers(parts.openPort, instance, AbortSignal.timeout(answerMs))) === true) {
      this.#forget(id);
      this.#responded.set(id, startedAt);
      return false;
    }
    return !this.#restarted.has(id) && Date.now() - (startedAt ?? 0) > startMs;
  }

  #forget(id: string): void {
    this.#responded.delete(id);
    this.#restarted.delete(id);
  }
}
