import { type DatabaseKind, type Db, isUnavailable } from '../../../db/database.ts';
import { isGitHostError } from '../../../drivers/githost/errors.ts';
import type { GitHostEvent } from '../../../drivers/githost/webhook-events.ts';
import type { Log } from '../../../lib/log.ts';
import { Rounds } from '../../../lib/rounds.ts';
import { claimDelivery, deleteOldDeliveries, type DeliveryRow, releaseDelivery } from './delivery-store.ts';
import type { OnInstallation, Outcome, PushListener } from './listener.ts';

type On = {
  db: Db;
  kind: DatabaseKind;
  /** Names this replica, also after a restart. */
  owner: string;
  log: Log;
  listener: () => PushListener | undefined;
  onInstallation: OnInstallation;
};

const everyMs = 2000;
const atOnce = 4;
const mostAttempts = 8;
const longestPauseMs = 600_000;
const tidyEveryMs = 3_600_000;
const keptMs = 30 * 86_400_000;
const keptOfOrganization = 1000;

/** Works off what was announced, each delivery under a lease: a replica that dies leaves it to the others. */
export class DeliveryWorker {
  readonly #on: On;
  readonly #rounds: Rounds;
  readonly #held = new Set<string>();
  #tidyAt = 0;

  constructor(on: On) {
    this.#on = on;
    const warn = (message: string) => on.log.warn(`handling announcements: ${message}`);
    this.#rounds = new Rounds({ everyMs, warn, round: () => this.#round() });
  }

  start(): void {
    this.#rounds.start();
  }

  soon(): void {
    this.#rounds.soon();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #round(): Promise<void> {
    await Promise.all(Array.from({ length: atOnce }, () => this.#lane()));
    if (Date.now() < this.#tidyAt) return;
    this.#tidyAt = Date.now() + tidyEveryMs;
    await deleteOldDeliveries(this.#on.db, Date.now() - keptMs, keptOfOrganization);
  }

  async #lane(): Promise<void> {
    const { db, kind, owner } = this.#on;
    for (;;) {
      const next = await claimDelivery(db, kind, owner, [...this.#held]);
      if (!next) return;
      this.#held.add(next.id);
      try {
        await releaseDelivery(db, next.id, owner, await this.#handle(next));
      } finally {
        this.#held.delete(next.id);
      }
    }
  }

  /** What is written down of it. Whatever goes wrong with one does not hold up the others. */
  async #handle(row: DeliveryRow): Promise<Partial<DeliveryRow>> {
    try {
      const outcome = await this.#outcome(row);
      const isDone = row.event !== 'push' || outcome.projects.some(({ deploymentId }) => deploymentId);
      return ended(isDone ? 'handled' : 'ignored', outcome);
    } catch (error) {
      const mayPass = isGitHostError(error, 'unavailable', 'rate_limited') || isUnavailable(error);
      const attempts = row.attempts + 1;
      const { message } = error as Error;
      if (mayPass && attempts < mostAttempts) return { attempts, next_try_at: retryAt(error, attempts) };
      if (!isGitHostError(error)) this.#on.log.error({ err: error }, `delivery ${row.id}`);
      const why = isGitHostError(error) ? message : 'something failed on our side';
      return { ...ended('failed', { why, projects: [] }), attempts };
    }
  }

  async #outcome({ organization_id, content }: DeliveryRow): Promise<Outcome> {
    const listener = this.#on.listener();
    const event = JSON.parse(content) as GitHostEvent;
    if (event.type === 'installation') {
      await this.#on.onInstallation(event);
      return { why: `the app was ${event.action}`, projects: [] };
    }
    if (event.type === 'ping' && event.repository) await listener?.announced(event.repository.id, true);
    if (event.type !== 'push') return { why: null, projects: [] };
    const projects = (await listener?.pushed(organization_id, event)) ?? [];
    return { why: projects.length ? null : 'no project follows this repository', projects };
  }
}

const ended = (status: 'handled' | 'ignored' | 'failed', outcome: Outcome): Partial<DeliveryRow> => ({
  status,
  outcome: JSON.stringify(outcome),
  handled_at: Date.now(),
});

function retryAt(error: unknown, attempts: number): number {
  const usual = Date.now() + Math.min(longestPauseMs, 1000 * 3 ** attempts);
  return Math.max(usual, (isGitHostError(error) && error.retryAt) || 0);
}
