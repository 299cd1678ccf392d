import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../db/database.ts';
import type { GitHostEvent } from '../../../drivers/githost/webhook-events.ts';
import { AppError } from '../../../errors.ts';
import type { Log } from '../../../lib/log.ts';
import { Rounds } from '../../../lib/rounds.ts';
import { type LentApps, selectBorrowers, selectLent, updateCursor, type Webhooks } from '../../githost/port.ts';
import { allDueOf } from '../../projects/port.ts';
import type { Borrowing, DeliveriesPage } from './borrowing.ts';

type Deps = { db: Db; borrowing: Borrowing; lent: LentApps; webhooks: Webhooks; log: Log };

const everyMs = 2000;
const shortestPauseMs = 500;
const longestPauseMs = 15_000;
/** How the app stands is asked for so often in any case. */
const lookMs = 60_000;

/** Gets what the cloud hands on, for each organization that uses its app. It is us who ask, so that no port has to be open
 * here; and where it was cut off it goes on from what was written down. */
export class DeliveryPulls {
  readonly #deps: Deps;
  readonly #rounds: Rounds;
  readonly #lines = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(deps: Deps) {
    this.#deps = deps;
    const warn = (message: string) => deps.log.warn(`webhooks from the cloud: ${message}`);
    this.#rounds = new Rounds({ everyMs, warn, round: () => this.#round() });
  }

  start(): void {
    this.#rounds.start();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#rounds.stop();
    await Promise.allSettled(this.#lines.values());
  }

  async #round(): Promise<void> {
    for (const id of await selectBorrowers(this.#deps.db)) {
      if (this.#lines.has(id) || !(await this.#deps.lent.isOpen(id))) continue;
      const line = this.#line(id).finally(() => this.#lines.delete(id));
      this.#lines.set(id, line);
    }
  }

  /** Goes on until it is not used any more. Each trouble is told once. */
  async #line(organizationId: string): Promise<void> {
    const { signal } = this.#stopping;
    let [pauseMs, complaint] = [shortestPauseMs, ''];
    while (!signal.aborted)
      try {
        const began = Date.now();
        const page = await this.#pull(organizationId, signal);
        if (!page) return;
        [pauseMs, complaint] = [shortestPauseMs, ''];
        // A cloud that does not wait is not asked without a pause.
        if (!page.data.length && Date.now() - began < shortestPauseMs) await pause(shortestPauseMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        const said = error instanceof AppError ? (error.extra.message ?? error.message) : (error as Error).message;
        if (said !== complaint) this.#deps.log.warn(`webhooks from the cloud: ${said}`);
        complaint = said;
        await pause(pauseMs, signal);
        pauseMs = Math.min(longestPauseMs, pauseMs * 2);
      }
  }

  /** Undefined when the organization does not use it any more. */
  async #pull(organizationId: string, signal: AbortSignal): Promise<DeliveriesPage | undefined> {
    const { db, borrowing, lent, webhooks } = this.#deps;
    const before = await selectLent(db, organizationId);
    if (!before || !(await lent.isOpen(organizationId))) return undefined;
    await lent.look(organizationId, lookMs);
    const page = await borrowing.deliveries(organizationId, before.cursor, signal);
    // Somebody may have disconnected meanwhile, or linked another cloud.
    const now = await selectLent(db, organizationId);
    if (now?.createdAt !== before.createdAt) return undefined;
    for (const { id: guid, digest, event } of page.data.filter((each) => each !== undefined))
      await webhooks.take(organizationId, event as GitHostEvent, { guid, digest });
    // Before it is written down that we have all up to there: whatever was pushed meanwhile is only to be seen at the branches.
    if (page.missed || before.cursor === null) await allDueOf(db, organizationId);
    if (page.next !== before.cursor) await updateCursor(db, organizationId, page.next);
    return page;
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
