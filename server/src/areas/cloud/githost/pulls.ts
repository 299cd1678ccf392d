import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../db/database.ts';
import type { GitHostEvent } from '../../../drivers/githost/webhook-events.ts';
import { AppError } from '../../../errors.ts';
import type { Log } from '../../../lib/log.ts';
import { PeriodicTask } from '../../../lib/periodic-task.ts';
import { type LentApps, selectBorrowers, selectLent, updateCursor, type Webhooks } from '../../githost/port.ts';
import { makeLinksDue } from '../../projects/port.ts';
import type { BorrowedGitHostApp, DeliveriesPage } from './borrowing.ts';

type Deps = { db: Db; borrowing: BorrowedGitHostApp; lent: LentApps; webhooks: Webhooks; log: Log };

const everyMs = 2000;
const shortestPauseMs = 500;
const longestPauseMs = 15_000;
/** Maximum age of the app's state, regardless of deliveries. */
const lookMs = 60_000;

/**
 * Pulls deliveries from the cloud for each organization that uses its app. Pulling needs no open port, and resumes
 * from the stored cursor.
 */
export class DeliveryPulls {
  readonly #deps: Deps;
  readonly #rounds: PeriodicTask;
  readonly #lines = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(deps: Deps) {
    this.#deps = deps;
    const warn = (message: string) => deps.log.warn(`webhooks from the cloud: ${message}`);
    this.#rounds = new PeriodicTask({ everyMs, warn, round: () => this.#round() });
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

  /** Runs until the organization no longer uses the app. Logs each error once. */
  async #line(organizationId: string): Promise<void> {
    const { signal } = this.#stopping;
    let [pauseMs, complaint] = [shortestPauseMs, ''];
    while (!signal.aborted)
      try {
        const began = Date.now();
        const page = await this.#pull(organizationId, signal);
        if (!page) return;
        [pauseMs, complaint] = [shortestPauseMs, ''];
        // Pause if the cloud does not long-poll.
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

  /** Returns undefined if the organization no longer uses the app. */
  async #pull(organizationId: string, signal: AbortSignal): Promise<DeliveriesPage | undefined> {
    const { db, borrowing, lent, webhooks } = this.#deps;
    const before = await selectLent(db, organizationId);
    if (!before || !(await lent.isOpen(organizationId))) return undefined;
    await lent.look(organizationId, lookMs);
    const page = await borrowing.deliveries(organizationId, before.cursor, signal);
    // The organization may have disconnected or linked another cloud meanwhile.
    const now = await selectLent(db, organizationId);
    if (now?.createdAt !== before.createdAt) return undefined;
    for (const { id: guid, digest, event } of page.data.filter((each) => each !== undefined))
      await webhooks.take(organizationId, event as GitHostEvent, { guid, digest });
    // Before the cursor is stored: missed pushes can only be found by polling the branches.
    if (page.missed || before.cursor === null) await makeLinksDue(db, organizationId);
    if (page.next !== before.cursor) await updateCursor(db, organizationId, page.next);
    return page;
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
