import { setTimeout as sleep } from 'node:timers/promises';
import { type DatabaseKind, type Db, isUnavailable } from '../../../db/database.ts';
import { isGitHostError } from '../../../drivers/githost/errors.ts';
import type { Log } from '../../../lib/log.ts';
import { PeriodicTask } from '../../../lib/periodic-task.ts';
import {
  claimDelivery,
  deleteOldDeliveries,
  type DeliveryRow,
  dropDelivery,
  releaseDelivery,
} from './delivery-store.ts';
import { eventIn, outcomeIn } from './delivery-content.ts';
import { endedDelivery, nextAttemptAt } from './delivery-end.ts';
import { type EventHandlers, handleEvent, pushDetailsToStore } from './delivery-outcome.ts';
import type { DeliveryForwarder, DeliveryOutcome } from './listener.ts';

type Deps = EventHandlers & {
  handover: () => DeliveryForwarder | undefined;
  db: Db;
  kind: DatabaseKind;
  /** Identifies this replica, also after a restart. */
  owner: string;
  log: Log;
};

const everyMs = 2000;
const patienceMs = 1000;
const atOnce = 4;
const mostAttempts = 8;
const tidyEveryMs = 3_600_000;
const keptMs = 30 * 86_400_000;
const keptOfOrganization = 1000;

/** Handles deliveries under a lease: if a replica dies, others take over. */
export class DeliveryWorker {
  readonly #deps: Deps;
  readonly #rounds: PeriodicTask;
  readonly #held = new Set<string>();
  readonly #lanes = new Set<Promise<void>>();
  #claiming: Promise<DeliveryRow | undefined> = Promise.resolve(undefined);
  #stopped: Promise<void> | undefined;
  #tidyAt = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
    const warn = (message: string) => deps.log.warn(`webhook deliveries: ${message}`);
    this.#rounds = new PeriodicTask({ everyMs, warn, round: () => this.#round() });
  }

  start(): void {
    this.#rounds.start();
  }

  soon(): void {
    this.#rounds.soon();
  }

  /** Idempotent, so that a second call does not wait again for a hanging git host. */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop());
  }

  async #stop(): Promise<void> {
    await this.#rounds.stop();
    await Promise.race([Promise.allSettled(this.#lanes), sleep(patienceMs, undefined, { ref: false })]);
  }

  /** A round does not wait for deliveries that are stuck at a slow git host. */
  async #round(): Promise<void> {
    const begun = Array.from({ length: atOnce - this.#lanes.size }, () => this.#begin());
    await Promise.race([Promise.all(begun), sleep(patienceMs, undefined, { ref: false })]);
    if (Date.now() < this.#tidyAt) return;
    this.#tidyAt = Date.now() + tidyEveryMs;
    await deleteOldDeliveries(this.#deps.db, Date.now() - keptMs, keptOfOrganization);
  }

  #begin(): Promise<void> {
    const lane = this.#lane().finally(() => this.#lanes.delete(lane));
    this.#lanes.add(lane);
    return lane;
  }

  async #lane(): Promise<void> {
    const { db, owner } = this.#deps;
    while (!this.#stopped) {
      const next = await (this.#claiming = this.#claiming.then(
        () => this.#claim(),
        () => this.#claim(),
      ));
      if (!next) return;
      try {
        const change = await this.#handle(next);
        await (change ? releaseDelivery(db, next.id, owner, change) : dropDelivery(db, next.id, owner));
      } finally {
        this.#held.delete(next.id);
      }
    }
  }

  /**
   * One claim at a time: a delivery that this replica has just claimed would otherwise be handed to the next lane as
   * well.
   */
  async #claim(): Promise<DeliveryRow | undefined> {
    const { db, kind, owner } = this.#deps;
    const next = await claimDelivery(db, kind, owner, [...this.#held]);
    if (next) this.#held.add(next.id);
    return next;
  }

  /** Returns the columns to store; undefined to drop the delivery. Errors of one delivery do not affect others. */
  async #handle(row: DeliveryRow): Promise<Partial<DeliveryRow> | undefined> {
    const { projects: known } = outcomeIn(row);
    try {
      const event = eventIn(row);
      const outcome = await handleEvent(this.#deps, row.organizationId, event, known);
      if (!outcome) return undefined;
      if (event.type === 'installation' || event.type === 'repositories')
        await this.#deps.handover()?.handled(row.organizationId, event, row);
      const isDone = event.type !== 'push' || known.some(({ deploymentId }) => deploymentId);
      return { ...endedDelivery(isDone ? 'handled' : 'ignored', outcome), ...pushDetailsToStore(event, outcome) };
    } catch (error) {
      const mayPass = isGitHostError(error, 'unavailable', 'rate_limited') || isUnavailable(error);
      const attempts = row.attempts + 1;
      const why = isGitHostError(error) ? error.message : 'an internal error occurred';
      // Keeps deployments that started before the failure.
      const outcome: DeliveryOutcome = { why, projects: known };
      if (mayPass && attempts < mostAttempts)
        return { attempts, nextTryAt: nextAttemptAt(error, attempts), outcome: JSON.stringify(outcome) };
      if (!isGitHostError(error)) this.#deps.log.error({ err: error }, `delivery ${row.id}`);
      return { ...endedDelivery('failed', outcome), attempts };
    }
  }
}
