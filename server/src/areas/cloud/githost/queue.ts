import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, inTransaction } from '../../../db/database.ts';
import type { CloudDeliveryTable, CloudQueueTable } from '../../../db/tables.ts';
import type { GitHostEvent, PushEvent } from '../../../drivers/githost/webhook-events.ts';
import { newId } from '../../../lib/ids.ts';
import { organizationsOfInstallation } from '../../githost/webhooks/delivery-store.ts';
import type { Handover, Named } from '../../githost/webhooks/listener.ts';
import {
  deleteQueue,
  dropUpTo,
  insertQueue,
  insertQueued,
  selectOlder,
  selectQueue,
  selectQueued,
  selectQueues,
  takeNumber,
  touchQueue,
} from './queue-store.ts';

/** `next` is where to go on. `missed`: some of what came before is not kept any more, or belongs to another queue. */
export type QueuePage = { rows: CloudDeliveryTable[]; next: string; missed: boolean };

const keptMs = 3 * 86_400_000;
const mostKept = 5000;
const pageSize = 50;
const touchMs = 600_000;
/** Another replica may have put something in. */
const glanceMs = 2000;
const mostWaiting = 5;
const largestContent = 64_000;

/** What the git host announces to our app, for organizations whose instance asks for it. Nothing is taken out by reading: each
 * instance goes on from where it was, and one that asks twice gets the same twice. */
export class DeliveryQueue implements Handover {
  readonly #db: Db;
  readonly #stopping = new AbortController();
  /** By organization, those who wait for the next one. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(db: Db) {
    this.#db = db;
  }

  async pushed(event: PushEvent, named: Named): Promise<number> {
    if (event.installationId === null) return 0;
    const holders = await organizationsOfInstallation(this.#db, event.installationId);
    const put = await Promise.all(holders.map((id) => this.#put(id, event, named)));
    return put.filter(Boolean).length;
  }

  async handled(organizationId: string, event: GitHostEvent, named: Named): Promise<void> {
    await this.#put(organizationId, event, named);
  }

  /** What came after `after`; without it, where to go on from now. Waits for something to come, for so long. */
  async read(organizationId: string, after: string | undefined, waitMs: number): Promise<QueuePage> {
    const queue = await this.#asked(organizationId);
    const known = after === undefined ? undefined : numberIn(queue, after);
    const from = known ?? queue.last_seq;
    const missed = after !== undefined && (known === undefined || known < queue.dropped_seq);
    const rows = await selectQueued(this.#db, organizationId, from, pageSize);
    const isWaiting = after !== undefined && !rows.length && !missed;
    const all = isWaiting ? await this.#wait(organizationId, from, waitMs) : rows;
    return { rows: all, next: `${queue.id}.${all.at(-1)?.seq ?? from}`, missed };
  }

  /** What is old goes, and queues that nobody asks for. */
  async tidy(now = Date.now()): Promise<void> {
    for (const { organization_id: id, asked_at } of await selectQueues(this.#db))
      await inTransaction(this.#db, async (trx) => {
        if (asked_at < now - keptMs) return deleteQueue(trx, id);
        const old = await selectOlder(trx, id, now - keptMs);
        if (old) await dropUpTo(trx, id, old.seq);
      });
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** True if somebody asks for it there. What was put in before is not put in again, which is as good. */
  async #put(organizationId: string, event: GitHostEvent, { guid, digest }: Named): Promise<boolean> {
    const isPut = await inTransaction(this.#db, async (trx) => {
      const seq = await takeNumber(trx, organizationId, Date.now() - keptMs);
      if (seq === undefined) return false;
      const row = { organization_id: organizationId, seq, guid, digest, created_at: Date.now() };
      await insertQueued(trx, { ...row, content: contentOf(event) });
      if (seq % 100 === 0 && seq > mostKept) await dropUpTo(trx, organizationId, seq - mostKept);
      return true;
    });
    for (const wake of this.#waiting.get(organizationId) ?? []) wake();
    return isPut;
  }

  async #asked(organizationId: string): Promise<CloudQueueTable> {
    const now = Date.now();
    const queue = await selectQueue(this.#db, organizationId);
    if (queue && queue.asked_at > now - touchMs) return queue;
    if (queue && queue.asked_at >= now - keptMs) {
      await touchQueue(this.#db, organizationId, now);
      return queue;
    }
    await inTransaction(this.#db, async (trx) => {
      if (queue) await deleteQueue(trx, organizationId);
      const numbers = { last_seq: 0, dropped_seq: 0 };
      await insertQueue(trx, { organization_id: organizationId, id: newId('ghq'), ...numbers, asked_at: now });
    });
    return (await selectQueue(this.#db, organizationId))!;
  }

  async #wait(organizationId: string, from: number, waitMs: number): Promise<CloudDeliveryTable[]> {
    const waiting = this.#waiting.get(organizationId) ?? new Set();
    if (waiting.size >= mostWaiting) return [];
    this.#waiting.set(organizationId, waiting);
    const until = Date.now() + waitMs;
    const { signal } = this.#stopping;
    for (let left = waitMs; left > 0 && !signal.aborted; left = until - Date.now()) {
      await this.#glance(waiting, Math.min(left, glanceMs));
      const rows = await selectQueued(this.#db, organizationId, from, pageSize);
      if (rows.length) return rows;
    }
    return [];
  }

  /** Until something comes, or it is time to look by oneself. */
  async #glance(waiting: Set<() => void>, ms: number): Promise<void> {
    const woken = new AbortController();
    const wake = () => woken.abort();
    waiting.add(wake);
    const signal = AbortSignal.any([woken.signal, this.#stopping.signal]);
    await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
    waiting.delete(wake);
  }
}

function numberIn({ id, last_seq }: CloudQueueTable, cursor: string): number | undefined {
  const [queue, seq = ''] = cursor.split('.');
  const number = /^\d{1,15}$/.test(seq) ? Number(seq) : undefined;
  return queue === id && number !== undefined && number <= last_seq ? number : undefined;
}

/** A push of very many files is one that touches everything. */
function contentOf(event: GitHostEvent): string {
  const content = JSON.stringify(event);
  if (event.type !== 'push' || content.length <= largestContent) return content;
  return JSON.stringify({ ...event, changedFiles: [], hasAllFiles: false });
}
