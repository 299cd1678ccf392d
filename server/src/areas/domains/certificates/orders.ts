import { setTimeout as sleep } from 'node:timers/promises';
import { type FulfilOptions, OrderFulfilment } from './order-fulfilment.ts';
import { LostOrderError, OrderLease } from './lease.ts';
import { claimOrder, type OrderRow, selectNextOrder, selectOrder } from './order-store.ts';

type Deps = FulfilOptions & {
  /** Identifies this replica, also after a restart. */
  owner: string;
};

const patienceMs = 1500;

/** Orders certificates, one order per name at a time across replicas. */
export class Orders {
  readonly #deps: Deps;
  readonly #work: OrderFulfilment;
  readonly #running = new Map<string, Promise<void>>();
  #lastClaim: Promise<boolean> = Promise.resolve(true);
  readonly #stopping = new AbortController();

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#work = new OrderFulfilment(deps);
  }

  /** Number of orders that this replica works on. */
  get count(): number {
    return this.#running.size;
  }

  /** Starts the next order that is due; false if there is none. */
  async beginNext(): Promise<boolean> {
    const { db, kind, owner } = this.#deps;
    const name = await selectNextOrder(db, kind, owner, [...this.#running.keys()]);
    if (name === undefined || this.#stopping.signal.aborted) return false;
    return (await this.#begin(name, 'due')) || !this.#running.has(name);
  }

  /** Starts an order, due or not, unless another worker has started it since that fence. */
  beginNow(name: string, seenFence: number): Promise<boolean> {
    return this.#begin(name, { fence: seenFence });
  }

  /** Continues an order whose worker has died. */
  takeOver(name: string): Promise<boolean> {
    return this.#begin(name, 'none');
  }

  /** Resolves once this replica no longer works on the order. */
  async ended(name: string): Promise<void> {
    await this.#running.get(name);
  }

  /** Resolves once this replica finishes any of its orders. */
  async anyEnded(): Promise<void> {
    await Promise.race(this.#running.values());
  }

  /** Leaves running orders to the next start, which resumes them at once. */
  async stop(): Promise<void> {
    this.#stopping.abort(new LostOrderError('the service is stopping'));
    await Promise.race([Promise.allSettled(this.#running.values()), sleep(patienceMs, undefined, { ref: false })]);
  }

  /** Claims one order at a time: a claim made just now must not look like one left over from before a restart. */
  #begin(name: string, also: 'due' | 'none' | { fence: number }): Promise<boolean> {
    const begun = this.#lastClaim.then(() => this.#claim(name, also));
    // The caller gets the error; the next claim runs regardless.
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
      // Another worker or the next start continues the order.
      if (error instanceof LostOrderError) return log.debug(error.message);
      await this.#work
        .fail(order, error, lease.signal)
        .catch((second: Error) => warn(`the order of ${order.name}: ${second.message}`));
    } finally {
      lease.end();
    }
  }

  find(name: string): Promise<OrderRow | undefined> {
    return selectOrder(this.#deps.db, name);
  }
}
