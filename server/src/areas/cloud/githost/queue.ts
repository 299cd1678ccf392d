import { type Db, inTransaction } from '../../../db/database.ts';
import type { CloudDeliveryTable, CloudQueueTable } from '../../../db/tables.ts';
import type { GitHostEvent, PushEvent } from '../../../drivers/githost/webhook-events.ts';
import { newId } from '../../../lib/ids.ts';
import { type DeliveryForwarder, type DeliveryKey, organizationsOfInstallation } from '../../githost/port.ts';
import {
  deleteQueue,
  dropQueuedUpTo,
  insertQueue,
  insertQueued,
  selectActiveQueues,
  selectNewestQueuedBefore,
  selectQueue,
  selectQueued,
  selectQueues,
  nextQueueNumber,
  touchQueue,
} from './queue-store.ts';
import { LongPolls } from './long-polls.ts';

/**
 * `next` is the cursor to continue from. `missed`: earlier deliveries were dropped, or the cursor is of another
 * queue.
 */
export type QueuePage = { rows: CloudDeliveryTable[]; next: string; missed: boolean };

const keptMs = 3 * 86_400_000;
const mostKept = 2000;
const pageSize = 50;
const touchMs = 600_000;
const largestContent = 16_000;

/**
 * Deliveries of our app for linked instances. Reading removes nothing: each instance has its own cursor and may read
 * twice.
 */
export class DeliveryQueue implements DeliveryForwarder {
  readonly #db: Db;
  readonly #waiters = new LongPolls();

  constructor(db: Db) {
    this.#db = db;
  }

  async pushed(event: PushEvent, named: DeliveryKey): Promise<number> {
    if (event.installationId === null) return 0;
    const holders = await organizationsOfInstallation(this.#db, event.installationId);
    const asking = await selectActiveQueues(this.#db, holders, Date.now() - keptMs);
    for (const id of asking) await this.#put(id, event, named);
    return asking.length;
  }

  async handled(organizationId: string, event: GitHostEvent, named: DeliveryKey): Promise<void> {
    await this.#put(organizationId, event, named);
  }

  /** Returns deliveries after the cursor, waiting up to `waitMs`; without a cursor, the current position. */
  async read(organizationId: string, after: string | undefined, waitMs: number): Promise<QueuePage> {
    const queue = await this.#asked(organizationId);
    const known = after === undefined ? undefined : numberIn(queue, after);
    const from = known ?? queue.lastSeq;
    const missed = after !== undefined && (known === undefined || known < queue.droppedSeq);
    const look = () => selectQueued(this.#db, organizationId, from, pageSize);
    const isWaiting = after !== undefined && !missed;
    const rows = isWaiting ? await this.#waiters.wait(organizationId, waitMs, look) : await look();
    return { rows, next: `${queue.id}.${rows.at(-1)?.seq ?? from}`, missed };
  }

  /** Drops old deliveries and inactive queues. */
  async tidy(now = Date.now()): Promise<void> {
    for (const { organizationId: id, askedAt } of await selectQueues(this.#db))
      await inTransaction(this.#db, async (trx) => {
        if (askedAt < now - keptMs) return deleteQueue(trx, id);
        const old = await selectNewestQueuedBefore(trx, id, now - keptMs);
        if (old) await dropQueuedUpTo(trx, id, old.seq);
      });
  }

  stop(): void {
    this.#waiters.stop();
  }

  /** Stores a delivery if the queue is active. Duplicates are ignored. */
  async #put(organizationId: string, event: GitHostEvent, { guid, digest }: DeliveryKey): Promise<void> {
    await inTransaction(this.#db, async (trx) => {
      const seq = await nextQueueNumber(trx, organizationId, Date.now() - keptMs);
      if (seq === undefined) return;
      const row = { organizationId, seq, guid, digest, createdAt: Date.now() };
      await insertQueued(trx, { ...row, content: contentOf(event) });
      if (seq % 100 === 0 && seq > mostKept) await dropQueuedUpTo(trx, organizationId, seq - mostKept);
    });
    this.#waiters.wake(organizationId);
  }

  async #asked(organizationId: string): Promise<CloudQueueTable> {
    const now = Date.now();
    const queue = await selectQueue(this.#db, organizationId);
    if (queue && queue.askedAt > now - touchMs) return queue;
    if (queue && queue.askedAt >= now - keptMs) {
      await touchQueue(this.#db, organizationId, now);
      return queue;
    }
    await inTransaction(this.#db, async (trx) => {
      if (queue) await deleteQueue(trx, organizationId);
      const numbers = { lastSeq: 0, droppedSeq: 0 };
      await insertQueue(trx, { organizationId, id: newId('ghq'), ...numbers, askedAt: now });
    });
    return (await selectQueue(this.#db, organizationId))!;
  }
}

function numberIn({ id, lastSeq }: CloudQueueTable, cursor: string): number | undefined {
  const [queue, seq = ''] = cursor.split('.');
  const number = /^\d{1,15}$/.test(seq) ? Number(seq) : undefined;
  return queue === id && number !== undefined && number <= lastSeq ? number : undefined;
}

/**
 * Drops file lists that are too long: such a push counts as touching everything, and repositories are queried anyway.
 */
function contentOf(event: GitHostEvent): string {
  const content = JSON.stringify(event);
  if (content.length <= largestContent) return content;
  if (event.type === 'repositories') return JSON.stringify({ ...event, added: [], removed: [] });
  return JSON.stringify({ ...event, changedFiles: [], hasAllFiles: false });
}
