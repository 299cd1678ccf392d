import type { DatabaseKind, Db } from '../../../db/database.ts';
import { type OrderRow, renewOrder } from './order-store.ts';

export class LostOrderError extends Error {
  override name = 'LostOrderError';
}

const heartbeatMs = 3000;

/** Keeps an order leased to this worker while it works on it. */
export class OrderLease {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly signal: AbortSignal;

  constructor(on: {
    db: Db;
    kind: DatabaseKind;
    order: OrderRow;
    stopping: AbortSignal;
    warn: (text: string) => void;
  }) {
    const { db, kind, order, stopping, warn } = on;
    this.signal = AbortSignal.any([this.#controller.signal, stopping]);
    this.#timer = setInterval(() => {
      renewOrder(db, kind, order).then(
        (isHeld) => isHeld || this.#controller.abort(new LostOrderError(`the order of ${order.name} was taken over`)),
        // The lease outlives several failed renewals.
        (error: Error) => warn(`keeping the order of ${order.name}: ${error.message}`),
      );
    }, heartbeatMs);
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
