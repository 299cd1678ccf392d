import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStream, SharedEvents } from '../http/sse.ts';
import { EncodedPages, isEndPage, eventPageText } from './encoded-pages.ts';
import type { EventLog } from './event-log.ts';

const pageSize = 500;
// Polls for events of other replicas; our own arrive at once.
const lookMs = 1000;
// A write to a client takes some microseconds. With many of them, the events of a moment are sent together.
const pauseMsPerViewer = 0.05;
const mostPauseMs = 50;

/** Event streams. Clients that are up to date share one read and one text. */
export class Broadcasts {
  readonly #events: EventLog;
  readonly #warn: (message: string) => void;
  readonly #pages: EncodedPages;
  readonly #streams = new Map<string, SharedStream>();

  constructor(events: EventLog, warn: (message: string) => void) {
    this.#events = events;
    this.#pages = new EncodedPages(events);
    this.#warn = warn;
  }

  /** Sends the events after `since`, then each new one, until the end or until the client disconnects. */
  async follow(id: string, since: number, stream: EventStream): Promise<void> {
    let last = since;
    while (!stream.closed.aborted) {
      const page = await this.#pages.read(id, last);
      // Backpressure: unsent events stay in the database until the client reads.
      for (const piece of page.pieces) await stream.deliver(piece);
      last = page.last;
      if (page.isOver) return stream.end();
      if (page.isFull) continue;
      // New events arrived during the read, so another page is read.
      if (!(await this.#join(id, last, stream))) continue;
      return undefined;
    }
  }

  /** Waits in the shared stream until it ends; false if it is already ahead. */
  #join(id: string, last: number, stream: EventStream): Promise<boolean> {
    let shared = this.#streams.get(id);
    if (!shared) {
      shared = new SharedStream(this.#events, id, last, this.#warn, () => this.#streams.delete(id));
      this.#streams.set(id, shared);
    }
    return shared.join(last, stream);
  }
}

/** A client, and the last event that it has. */
type Viewer = { last: number; leave: () => void };

/** Clients of one stream that have at least the same last event. */
class SharedStream {
  readonly #events: EventLog;
  readonly #id: string;
  readonly #viewers = new Map<EventStream, Viewer>();
  readonly #end: () => void;
  readonly #warn: (message: string) => void;
  #last: number;
  #reading: Promise<void> = Promise.resolve();
  #scheduled = false;
  #sentAt = -Infinity;

  constructor(events: EventLog, id: string, last: number, warn: (message: string) => void, onEmpty: () => void) {
    this.#events = events;
    this.#warn = warn;
    this.#id = id;
    this.#last = last;
    const off = events.onNews(id, () => this.#look());
    const timer = setInterval(() => this.#look(), lookMs);
    this.#end = () => {
      off();
      clearInterval(timer);
      onEmpty();
    };
  }

  join(last: number, stream: EventStream): Promise<boolean> {
    if (last < this.#last) return Promise.resolve(false);
    return new Promise((resolve) => {
      const leave = () => {
        if (!this.#viewers.delete(stream)) return;
        if (!this.#viewers.size) this.#end();
        resolve(true);
      };
      this.#viewers.set(stream, { last, leave });
      stream.closed.addEventListener('abort', leave, { once: true });
      if (stream.closed.aborted) leave();
    });
  }

  /** Runs one read at a time; events that arrive meanwhile are in the next one. */
  #look(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#reading = this.#reading.then(async () => {
      const pauseMs = Math.min(mostPauseMs, pauseMsPerViewer * this.#viewers.size);
      const waitMs = this.#sentAt + pauseMs - performance.now();
      if (waitMs >= 1) await sleep(waitMs);
      this.#scheduled = false;
      await this.#read();
    });
    // If the database is away for a moment, the next poll retries.
    this.#reading = this.#reading.catch((error: Error) => this.#warn(`event stream of ${this.#id}: ${error.message}`));
  }

  async #read(): Promise<void> {
    const page = await this.#events.read(this.#id, this.#last, pageSize);
    if (!page.length) return;
    this.#last = page.at(-1)!.seq;
    const all = new SharedEvents(eventPageText(page));
    const over = isEndPage(page);
    this.#sentAt = performance.now();
    for (const [stream, { last, leave }] of this.#viewers) {
      // One that joined during a pause has the first of these events already.
      const isBehind = last < page[0]!.seq;
      stream.sendShared(isBehind ? all : new SharedEvents(eventPageText(page.filter(({ seq }) => seq > last))));
      if (!over) continue;
      stream.end();
      leave();
    }
    if (page.length === pageSize) this.#look();
  }
}
