import { setTimeout as sleep } from 'node:timers/promises';
import { type EdgeTarget, replicaKey, type Upstream } from '../edge.ts';
import { InFlight } from './limits/in-flight.ts';
import { acceptsConnections } from './upstream/accepts-connections.ts';

/** A replica that failed is skipped for this long, unless there is no other. */
const ailingMs = 1000;
/** A replica on a silent machine would cost each request seconds: it is skipped until it responds. It is no longer
 * probed once it got no request for this long. */
const stopProbingAfterMs = 60_000;
/** If all are silent for so long, requests fail at once: a load balancer in front may know another edge. */
const patienceMs = 5000;
/** Greater than any number of requests in flight. */
const ailing = 1e9;

type Several = Extract<EdgeTarget, { type: 'upstream' }>;

/** Chooses the healthy replica with the fewest requests in flight. */
export class ReplicaBalancer {
  /** Keyed by `replicaKey`. */
  readonly inFlight = new InFlight();
  /** When replicas that failed are chosen again, in `performance.now()`. */
  readonly #ailingUntil = new Map<string, number>();
  readonly #silent = new Map<string, { since: number; askedAt: number }>();
  /** Another start in each process of the edge. */
  #turn = process.pid;

  /** `tried`: replicas that failed this request. Once all have failed, each is tried again. Returns null if all have
   * been silent for a while. */
  choose(deploymentId: string, target: Several, tried: Set<string>): { upstream: Upstream; key: string } | null {
    const now = performance.now();
    const all = [target, ...target.others!].map((upstream) => {
      const key = replicaKey(deploymentId, upstream);
      const silent = this.#silent.get(key);
      if (silent) silent.askedAt = now;
      const isGone = silent !== undefined && now - silent.since > patienceMs;
      const isAiling = silent !== undefined || this.#isAiling(key, now);
      return { upstream, key, isGone, busy: this.inFlight.count(key) + (isAiling ? ailing : 0) };
    });
    if (all.every(({ isGone }) => isGone)) return null;
    if (all.every(({ key }) => tried.has(key))) tried.clear();
    // Equally busy replicas take turns.
    const first = this.#turn++ % all.length;
    const inTurn = [...all.slice(first), ...all.slice(0, first)].filter(({ key }) => !tried.has(key));
    return inTurn.reduce((best, each) => (each.busy < best.busy ? each : best));
  }

  failed(key: string, upstream: Upstream, isSilent: boolean): void {
    if (!isSilent) this.#ailingUntil.set(key, performance.now() + ailingMs);
    else if (!this.#silent.has(key)) void this.#skipSilent(key, upstream);
  }

  async #skipSilent(key: string, upstream: Upstream): Promise<void> {
    const since = performance.now();
    const silent = { since, askedAt: since };
    this.#silent.set(key, silent);
    while (performance.now() - silent.askedAt < stopProbingAfterMs && !(await acceptsConnections(upstream)))
      await sleep(ailingMs, undefined, { ref: false });
    this.#silent.delete(key);
  }

  #isAiling(key: string, now: number): boolean {
    const until = this.#ailingUntil.get(key);
    if (until === undefined) return false;
    if (now < until) return true;
    this.#ailingUntil.delete(key);
    return false;
  }
}
