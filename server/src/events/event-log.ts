import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, inTransaction, isDiskFull, isUnavailable, type Trx } from '../db/database.ts';

export type EventType = 'log' | 'step' | 'status' | 'service' | 'prompt' | 'end' | 'warning';
export type NewEvent = { type: EventType; at: number; data: Record<string, unknown> };
export type StoredEvent = { seq: number; at: number; type: string; data: string };

/** Another worker has taken over; the loser must stop and change nothing more. */
export class LostLeaseError extends Error {
  override name = 'LostLeaseError';
}

const flushMs = 15;
const flushAt = 400;
const retryMs = 250;

/** Events of deployments, numbered from 1 without gaps and committed before listeners are notified. */
export class EventLog {
  readonly #db: Db;
  /**
   * A database that restarts or is locked is back within this time; otherwise the worker gives up and retries later.
   */
  readonly #patienceMs: number;
  readonly #news = new EventEmitter().setMaxListeners(0);
  readonly #pending = new Map<
    string,
    { fence: number; events: NewEvent[]; timer: NodeJS.Timeout | undefined; writing: Promise<void> }
  >();

  constructor(db: Db, patienceMs = 20_000) {
    this.#db = db;
    this.#patienceMs = patienceMs;
  }

  /** Adds an event of the worker that holds `fence`. Events are batched and written within milliseconds. */
  add(deploymentId: string, fence: number, type: EventType, data: Record<string, unknown>): void {
    const batch = this.#batchOf(deploymentId, fence);
    batch.events.push({ type, at: Date.now(), data });
    if (batch.events.length >= flushAt) this.#write(deploymentId);
    else batch.timer ??= setTimeout(() => this.#write(deploymentId), flushMs);
  }

  /** Waits until all added events are committed. Throws if another worker has taken over. */
  async flush(deploymentId: string): Promise<void> {
    this.#write(deploymentId);
    await this.#pending.get(deploymentId)?.writing;
  }

  /** Drops the batch of a deployment that this worker is done with. */
  done(deploymentId: string): void {
    clearTimeout(this.#pending.get(deploymentId)?.timer);
    this.#pending.delete(deploymentId);
  }

  async read(deploymentId: string, after: number, limit: number): Promise<StoredEvent[]> {
    return this.#db
      .selectFrom('deployment_events')
      .select(['seq', 'at', 'type', 'data'])
      .where('deploymentId', '=', deploymentId)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit)
      .execute();
  }

  /** Calls back after this process has committed new events. */
  onNews(deploymentId: string, listener: () => void): () => void {
    this.#news.on(deploymentId, listener);
    return () => void this.#news.off(deploymentId, listener);
  }

  tell(deploymentId: string): void {
    this.#news.emit(deploymentId);
  }

  #batchOf(deploymentId: string, fence: number) {
    const known = this.#pending.get(deploymentId);
    if (known?.fence === fence) return known;
    const batch = { fence, events: [], timer: undefined, writing: Promise.resolve() };
    this.#pending.set(deploymentId, batch);
    return batch;
  }

  /** One write at a time per deployment, so that commits are in the order of the numbers. */
  #write(deploymentId: string): void {
    const batch = this.#pending.get(deploymentId);
    if (!batch) return;
    clearTimeout(batch.timer);
    batch.timer = undefined;
    if (!batch.events.length) return;
    batch.writing = batch.writing.catch(unlessFull).then(async () => {
      const events = batch.events.splice(0);
      if (!events.length) return;
      await this.#store(deploymentId, events, batch.fence).catch((error: unknown) => {
        if (isDiskFull(error)) batch.events.unshift(...events);
        throw error;
      });
      this.tell(deploymentId);
    });
    // The next flush gets the error; until then it must not be an unhandled rejection.
    batch.writing.catch(() => {});
  }

  async #store(deploymentId: string, events: NewEvent[], fence: number): Promise<void> {
    for (let first = true, end = Date.now() + this.#patienceMs; ; first = false) {
      try {
        if (!first && (await this.#isStored(deploymentId, events))) return;
        await inTransaction(this.#db, (trx) => appendEvents(trx, deploymentId, events, fence));
        return;
      } catch (error) {
        if (!isUnavailable(error) || Date.now() > end) throw error;
      }
      await sleep(retryMs);
    }
  }

  /** A connection lost during the commit leaves its outcome unknown. */
  async #isStored(deploymentId: string, events: NewEvent[]): Promise<boolean> {
    const last = await this.#db
      .selectFrom('deployment_events')
      .select(['type', 'at', 'data'])
      .where('deploymentId', '=', deploymentId)
      .orderBy('seq', 'desc')
      .limit(events.length)
      .execute();
    const wanted = events.map(({ type, at, data }) => ({ type, at, data: JSON.stringify(data) }));
    return JSON.stringify(last.toReversed()) === JSON.stringify(wanted);
  }
}

/** The disk may get space again, and the events are still in the batch. */
function unlessFull(error: unknown): void {
  if (!isDiskFull(error)) throw error;
}

/**
 * Writes events in the caller's transaction, numbered under the deployment's row lock. Without a fence, a user acts
 * on a deployment that no worker holds.
 */
export async function appendEvents(trx: Trx, deploymentId: string, events: NewEvent[], fence?: number): Promise<void> {
  let claim = trx
    .updateTable('deployments')
    .set((eb) => ({ lastSeq: eb('lastSeq', '+', events.length) }))
    .where('id', '=', deploymentId);
  if (fence !== undefined) claim = claim.where('fence', '=', fence);
  const row = await claim.returning('lastSeq').executeTakeFirst();
  if (!row) throw new LostLeaseError(`deployment ${deploymentId} was taken over by another replica, or is gone`);
  const first = row.lastSeq - events.length + 1;
  const rows = events.map(({ type, at, data }, i) => {
    return { deploymentId, seq: first + i, at, type, data: JSON.stringify(data) };
  });
  await trx.insertInto('deployment_events').values(rows).execute();
}
