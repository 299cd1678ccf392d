import { type EdgeTarget, replicaKey, type Upstream } from '../edge.ts';
import { InFlight } from './limits/in-flight.ts';

/** One that did not answer is left alone for so long, unless there is no other. */
const ailingMs = 1000;
/** More than any of them has under way. */
const ailing = 1e9;

type Several = Extract<EdgeTarget, { type: 'upstream' }>;

/** Chooses among the replicas of an app: one that answers, and has the fewest requests under way. */
export class ReplicaBalancer {
  /** By `replicaKey`. */
  readonly inFlight = new InFlight();
  readonly #failedAt = new Map<string, number>();
  #turn = 0;

  /** `tried`: those that the request was sent to in vain. When that is all of them, all are asked once more. */
  choose(deploymentId: string, target: Several, tried: Set<string>): { upstream: Upstream; key: string } {
    const all = [target, ...target.others!].map((upstream) => {
      const key = replicaKey(deploymentId, upstream);
      return { upstream, key, busy: this.inFlight.count(key) + (this.#isAiling(key) ? ailing : 0) };
    });
    if (all.every(({ key }) => tried.has(key))) tried.clear();
    // Those that are equally busy take turns.
    const first = this.#turn++ % all.length;
    const inTurn = [...all.slice(first), ...all.slice(0, first)].filter(({ key }) => !tried.has(key));
    return inTurn.reduce((best, each) => (each.busy < best.busy ? each : best));
  }

  failed(key: string): void {
    this.#failedAt.set(key, performance.now());
  }

  answered(key: string): void {
    this.#failedAt.delete(key);
  }

  #isAiling(key: string): boolean {
    const at = this.#failedAt.get(key);
    if (at === undefined) return false;
    if (performance.now() - at < ailingMs) return true;
    this.#failedAt.delete(key);
    return false;
  }
}
