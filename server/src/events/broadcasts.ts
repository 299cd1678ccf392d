import { z } from 'zod';
import { storedJson } from '../db/stored-json.ts';
import { type EventStream, eventText } from '../http/sse.ts';
import type { EventLog, StoredEvent } from './event-log.ts';

const readEventData = storedJson('deployment_events.data', z.object({}));

const pageSize = 500;
// Each client that catches up holds one such page; a thousand of them must not fill the memory, however long the lines
// are.
const catchUpSize = 32;
const pieceCharacters = 128 * 1024;
// Polls for events of other replicas; our own arrive at once.
const lookMs = 1000;

/** Event streams. Clients that are up to date share one read and one text. */
export class Broadcasts {
  readonly #events: EventLog;
  readonly #warn: (message: string) => void;
  readonly #channels = new Map<string, Channel>();

  constructor(events: EventLog, warn: (message: string) => void) {
    this.#events = events;
    this.#warn = warn;
  }

  /** Sends the events after `since`, then each new one, until the end or until the client disconnects. */
  async follow(id: string, since: number, stream: EventStream): Promise<void> {
    let last = since;
    while (!stream.closed.aborted) {
      const page = await this.#events.read(id, last, catchUpSize);
      // Backpressure: unsent events stay in the database until the client reads.
      for (const piece of piecesOf(page)) await stream.deliver(piece);
      last = page.at(-1)?.seq ?? last;
      if (isOver(page)) return stream.end();
      if (page.length === catchUpSize) continue;
      // New events arrived during the read, so another page is read.
      if (!(await this.#join(id, last, stream))) continue;
      return undefined;
    }
  }

  /** Waits in the channel until it ends; false if the channel is already ahead. */
  #join(id: string, last: number, stream: EventStream): Promise<boolean> {
    let channel = this.#channels.get(id);
    if (!channel) {
      channel = new Channel(this.#events, id, last, this.#warn, () => this.#channels.delete(id));
      this.#channels.set(id, channel);
    }
    return channel.join(last, stream);
  }
}

/** Clients of one stream that have all seen the same last event. */
class Channel {
  readonly #events: EventLog;
  readonly #id: string;
  readonly #viewers = new Map<EventStream, () => void>();
  readonly #end: () => void;
  readonly #warn: (message: string) => void;
  #last: number;
  #reading: Promise<void> = Promise.resolve();
  #scheduled = false;

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
    if (last !== this.#last) return Promise.resolve(false);
    return new Promise((resolve) => {
      const leave = () => {
        if (!this.#viewers.delete(stream)) return;
        if (!this.#viewers.size) this.#end();
        resolve(true);
      };
      this.#viewers.set(stream, leave);
      stream.closed.addEventListener('abort', leave, { once: true });
      if (stream.closed.aborted) leave();
    });
  }

  /** Runs one read at a time; events that arrive meanwhile are in the next one. */
  #look(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#reading = this.#reading.then(async () => {
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
    const text = textOf(page);
    const over = isOver(page);
    for (const [stream, leave] of this.#viewers) {
      stream.sendText(text);
      if (!over) continue;
      stream.end();
      leave();
    }
    if (page.length === pageSize) this.#look();
  }
}

/** Warnings follow only after a deployment has ended. */
const isOver = (page: StoredEvent[]) => ['end', 'warning'].includes(page.at(-1)?.type ?? '');

const textOf = (page: StoredEvent[]): string => page.map(textOfOne).join('');

const textOfOne = ({ seq, at, type, data }: StoredEvent): string =>
  eventText({ id: seq, event: type, data: { seq, at: new Date(at).toISOString(), ...readEventData(data) } });

/** Splits a page into texts that fit a client's buffer. */
function* piecesOf(page: StoredEvent[]): Generator<string> {
  let piece = '';
  for (const event of page) {
    piece += textOfOne(event);
    if (piece.length < pieceCharacters) continue;
    yield piece;
    piece = '';
  }
  if (piece) yield piece;
}
