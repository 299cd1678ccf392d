import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, inTransaction, isDiskFull, isUnavailable, type Trx } from '../db/database.ts';
import { prepared, type Slots } from '../db/prepared.ts';

export type EventType = 'log' | 'step' | 'status' | 'service' | 'prompt' | 'end' | 'warning' | 'progress';
export type NewEvent = { type: EventType; at: number; data: Record<string, unknown> };
export type StoredEvent = { seq: number; at: number; type: string; data: string };

/** Another worker has taken over; the loser must stop and change nothing more. */
export class LostLeaseError extends Error {
  override name = 'LostLeaseError';
}

/** Where a kind of work keeps its events: a row with `fence` and `lastSeq` for each, and a table of events. */
export type EventTables = { rows: string; events: string; key: string; what: string };

// The queries are typed for deployments; other tables have the same columns.
type Typed = { rows: 'deployments'; events: 'deployment_events'; key: 'deploymentId'; what: string };
const ofDeployments: EventTables = {
  rows: 'deployments',
  events: 'deployment_events',
  key: 'deploymentId',
  what: 'deployment',
};

const selectEvents = ({ events, key }: Typed) =>
  prepared((sql, slot: Slots<{ id: string; after: number; limit: number }>) =>
    sql
      .selectFrom(events)
      .select(['seq', 'at', 'type', 'data'])
      .where(key, '=', slot('id'))
      .where('seq', '>', slot('after'))
      .orderBy('seq')
      .limit(slot('limit')),
  );

const flushMs = 15;
const flushAt = 400;
const retryMs = 250;

/** Events of leased work, such as deployments: numbered from 1 without gaps and committed before listeners are notified. */
export class EventLog {
  readonly #db: Db;
  /**
   * A database that restarts or is locked is back within this time; otherwise the worker gives up and retries later.
   */
  readonly #patienceMs: number;
  readonly #tables: Typed;
  readonly #select: ReturnType<typeof selectEvents>;
  readonly #news = new EventEmitter().setMaxListeners(0);
  readonly #pending = new Map<
    string,
    { fence: number; events: NewEvent[]; timer: NodeJS.Timeout | undefined; writing: Promise<void> }
  >();

  constructor(
    db: Db,
    { patienceMs = 20_000, tables = ofDeployments }: { patienceMs?: number; tables?: EventTables } = {},
  ) {
    this.#db = db;
    this.#patienceMs = patienceMs;
    this.#tables = tables as Typed;
    this.#select = selectEvents(this.#tables);
  }

  /** Adds an event of the worker that holds `fence`. Events are batched and written within milliseconds. */
  add(id: string, fence: number, type: EventType, data: Record<string, unknown>): void {
    const batch = this.#batchOf(id, fence);
    batch.events.push({ type, at: Date.now(), data });
    if (batch.events.length >= flushAt) this.#write(id);
    else batch.timer ??= setTimeout(() => this.#write(id), flushMs);
  }

  /** Waits until all added events are committed. Throws if another worker has taken over. */
  async flush(id: string): Promise<void> {
    this.#write(id);
    await this.#pending.get(id)?.writing;
  }

  /** Drops the batch of work that this worker is done with. */
  done(id: string): void {
    clearTimeout(this.#pending.get(id)?.timer);
    this.#pending.delete(id);
  }

  read(id: string, after: number, limit: number): Promise<StoredEvent[]> {
    return this.#select(this.#db, { id, after, limit });
  }

  /** Calls back after this process has committed new events. */
  onNews(id: string, listener: () => void): () => void {
    this.#news.on(id, listener);
    return () => void this.#news.off(id, listener);
  }

  tell(id: string): void {
    this.#news.emit(id);
  }

  #batchOf(id: string, fence: number) {
    const known = this.#pending.get(id);
    if (known?.fence === fence) return known;
    const batch = { fence, events: [], timer: undefined, writing: Promise.resolve() };
    this.#pending.set(id, batch);
    return batch;
  }

  /** One write at a time for each, so that commits are in the order of the numbers. */
  #write(id: string): void {
    const batch = this.#pending.get(id);
    if (!batch) return;
    clearTimeout(batch.timer);
    batch.timer = undefined;
    if (!batch.events.length) return;
    batch.writing = batch.writing.catch(unlessFull).then(async () => {
      const events = batch.events.splice(0);
      if (!events.length) return;
      await this.#store(id, events, batch.fence).catch((error: unknown) => {
        if (isDiskFull(error)) batch.events.unshift(...events);
        throw error;
      });
      this.tell(id);
    });
    // The next flush gets the error; until then it must not be an unhandled rejection.
    batch.writing.catch(() => {});
  }

  async #store(id: string, events: NewEvent[], fence: number): Promise<void> {
    for (let first = true, end = Date.now() + this.#patienceMs; ; first = false) {
      try {
        if (!first && (await this.#isStored(id, events))) return;
        await inTransaction(this.#db, (trx) => appendEvents(trx, id, events, fence, this.#tables));
        return;
      } catch (error) {
        if (!isUnavailable(error) || Date.now() > end) throw error;
      }
      await sleep(retryMs);
    }
  }

  /** A connection lost during the commit leaves its outcome unknown. */
  async #isStored(id: string, events: NewEvent[]): Promise<boolean> {
    const last = await this.#db
      .selectFrom(this.#tables.events)
      .select(['type', 'at', 'data'])
      .where(this.#tables.key, '=', id)
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
 * Writes events in the caller's transaction, numbered under the lock of the row. Without a fence, a user acts on work
 * that no worker holds.
 */
export async function appendEvents(
  trx: Trx,
  id: string,
  events: NewEvent[],
  fence?: number,
  tables: EventTables = ofDeployments,
): Promise<void> {
  const { rows, events: table, key, what } = tables as Typed;
  let claim = trx
    .updateTable(rows)
    .set((eb) => ({ lastSeq: eb('lastSeq', '+', events.length) }))
    .where('id', '=', id);
  if (fence !== undefined) claim = claim.where('fence', '=', fence);
  const row = await claim.returning('lastSeq').executeTakeFirst();
  if (!row) throw new LostLeaseError(`${what} ${id} was taken over by another replica, or is gone`);
  const first = row.lastSeq - events.length + 1;
  const values = events.map(({ type, at, data }, i) => {
    return { [key]: id, seq: first + i, at, type, data: JSON.stringify(data) } as Record<Typed['key'], string> &
      StoredEvent;
  });
  await trx.insertInto(table).values(values).execute();
}
