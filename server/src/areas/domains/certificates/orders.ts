import { setTimeout as sleep } from 'node:timers/promises';
import { type FulfilOptions, OrderWork } from './fulfil.ts';
import { LostOrderError, OrderLease } from './lease.ts';
import { claimOrder, type OrderRow, selectNextOrder, selectOrder } from './order-store.ts';

type Deps = FulfilOptions & {
  /** Names this replica, also after a restart. */
  owner: string;
};

const patienceMs = 1500;

/** Orders certificates, one order for each name at a time, whichever replica works on it. */
export class Orders {
  readonly #deps: Deps;
  readonly #work: OrderWork;
  readonly #running = new Map<string, Promise<void>>();
  #lastClaim: Promise<boolean> = Promise.resolve(true);
  readonly #stopping = new AbortController();

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#work = new OrderWork(deps);
  }

  /** How many this replica works on. */
  get count(): number {
    return this.#running.size;
  }

  /** Begins the next one that is due, if there is one. */
  async beginNext(): Promise<boolean> {
    const { db, kind, owner } = this.#deps;
    const name = await selectNextOrder(db, kind, owner, [...this.#running.keys()]);
    if (name === undefined || this.#stopping.signal.aborted) return false;
    return (await this.#begin(name, 'due')) || !this.#running.has(name);
  }

  /** Begins this one, due or not, unless somebody has begun it since it had that fence. */
  beginNow(name: string, seenFence: number): Promise<boolean> {
    return this.#begin(name, { fence: seenFence });
  }

  /** Goes on with one whose worker has died. */
  takeOver(name: string): Promise<boolean> {
    return this.#begin(name, 'none');
  }

  /** Resolves when this replica works on it no more; at once when it does not. */
  async ended(name: string): Promise<void> {
    await this.#running.get(name);
  }

  /** Resolves when this replica is done with one of those that it works on. */
  async anyEnded(): Promise<void> {
    await Promise.race(this.#running.values());
  }

  /** What is under way is left for the next start, which goes on with it at once. */
  async stop(): Promise<void> {
    this.#stopping.abort(new LostOrderError('the service is stopping'));
    await Promise.race([Promise.allSettled(this.#running.values()), sleep(patienceMs, undefined, { ref: false })]);
  }

  /** One claim after the other: what this replica has just claimed must not look to its next claim as if it were left over from before a
   * restart. */
  #begin(name: string, also: 'due' | 'none' | { fence: number }): Promise<boolean> {
    const begun = this.#lastClaim.then(() => this.#claim(name, also));
    // Whoever asked for it is told; the next claim is made all the same.
    this.#lastClaim = begun.catch(() => false);
    return begun;
  }

  async #claim(name: string, also: 'due' | 'none' | { fence: number }): Promise<boolean> {
    const { db, kind, owner } = this.#deps;
    const order = await claimOrder(db, kind, { name, owner, held: [...this.#running.keys()], also });
    if (!order) return false;
    const work = this.#workOn(order).finally(() => this.#running.delete(name));
    this.#running.set(name, work);
    return true;
  }

  async #workOn(order: OrderRow): Promise<void> {
    const { db, kind, log } = this.#deps;
    const warn = (text: string) => log.warn(text);
    const lease = new OrderLease({ db, kind, order, stopping: this.#stopping.signal, warn });
    try {
      await this.#work.fulfil(order, lease.signal);
    } catch (error) {
      // Another worker, or the next start, goes on with it.
      if (error instanceof LostOrderError) return log.debug(error.message);
      await this.#work
        .fail(order, error, lease.signal)
        .catch((second: Error) => warn(`the order of ${order.name}: ${second.message}`));
    } finally {
      lease.end();
    }
  }

  /** The order as everybody sees it. */
  find(name: string): Promise<OrderRow | undefined> {
    return selectOrder(this.#deps.db, name);
  }
}
