import { setTimeout as sleep } from 'node:timers/promises';
import { type EdgeTarget, replicaKey, type Upstream } from '../edge.ts';
import { InFlight } from './limits/in-flight.ts';
import { responds } from './upstream/responds.ts';

/** A replica that failed is skipped for this long, unless there is no other. */
const ailingMs = 1000;
/** One whose machine is silent would cost each request seconds. It is skipped until it responds, or a minute. */
const mostProbes = 20;
/** Greater than any number of requests in flight. */
const ailing = 1e9;

type Several = Extract<EdgeTarget, { type: 'upstream' }>;

/** Chooses the healthy replica with the fewest requests in flight. */
export class ReplicaBalancer {
  /** Keyed by `replicaKey`. */
  readonly inFlight = new InFlight();
  /** When replicas that failed are chosen again, in `performance.now()`. */
  readonly #ailingUntil = new Map<string, number>();
  /** Another start in each process of the edge. */
  #turn = process.pid;

  /** `tried`: replicas that failed this request. Once all have failed, each is tried again. */
  choose(deploymentId: string, target: Several, tried: Set<string>): { upstream: Upstream; key: string } {
    const all = [target, ...target.others!].map((upstream) => {
      const key = replicaKey(deploymentId, upstream);
      return { upstream, key, busy: this.inFlight.count(key) + (this.#isAiling(key) ? ailing : 0) };
    });
    if (all.every(({ key }) => tried.has(key))) tried.clear();
    // Equally busy replicas take turns.
    const first = this.#turn++ % all.length;
    const inTurn = [...all.slice(first), ...all.slice(0, first)].filter(({ key }) => !tried.has(key));
    return inTurn.reduce((best, each) => (each.busy < best.busy ? each : best));
  }

  failed(key: string, upstream: Upstream, isSilent: boolean): void {
    if (!isSilent) this.#ailingUntil.set(key, performance.now() + ailingMs);
    else if (this.#ailingUntil.get(key) !== Infinity) void this.#skipSilent(key, upstream);
  }

  async #skipSilent(key: string, upstream: Upstream): Promise<void> {
    this.#ailingUntil.set(key, Infinity);
    for (let probes = 0; probes < mostProbes && !(await responds(upstream)); probes++)
      await sleep(ailingMs, undefined, { ref: false });
    this.#ailingUntil.delete(key);
  }

  #isAiling(key: string): boolean {
    const until = this.#ailingUntil.get(key);
    if (until === undefined) return false;
    if (performance.now() < until) return true;
    this.#ailingUntil.delete(key);
    return false;
  }
}
