import { z } from '../lib/zod/index.ts';
import { storedJson } from '../db/stored-json.ts';
import { isoTime } from '../http/responses.ts';
import { eventText } from '../http/sse.ts';
import type { EventLog, StoredEvent } from './event-log.ts';

const readEventData = storedJson('deployment_events.data', z.object({}));

// Each client that catches up holds one such page; a thousand of them must not fill the memory, however long the lines
// are.
const pageSize = 32;
const pieceCharacters = 128 * 1024;
const mostKeptBytes = 2_000_000;

/** Events after a number, as texts that fit a client's buffer. */
type Page = { pieces: Buffer[]; last: number; isOver: boolean; isFull: boolean };

/** Reads events page by page, once for all clients that catch up. Full pages never change: events are only added. */
export class EncodedPages {
  readonly #events: EventLog;
  readonly #kept = new Map<string, Page>();
  #keptBytes = 0;

  constructor(events: EventLog) {
    this.#events = events;
  }

  async read(id: string, after: number): Promise<Page> {
    const key = `${id} ${after}`;
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const events = await this.#events.read(id, after, pageSize);
    const isFull = events.length === pageSize;
    const page = {
      pieces: [...piecesOf(events)],
      last: events.at(-1)?.seq ?? after,
      isOver: isEndPage(events),
      isFull,
    };
    if (isFull) this.#keep(key, page);
    return page;
  }

  #keep(key: string, page: Page): void {
    const bytes = bytesOf(page);
    if (this.#kept.has(key) || bytes > mostKeptBytes / 2) return;
    this.#kept.set(key, page);
    this.#keptBytes += bytes;
    for (const [oldest, each] of this.#kept) {
      if (this.#keptBytes <= mostKeptBytes) break;
      this.#kept.delete(oldest);
      this.#keptBytes -= bytesOf(each);
    }
  }
}

const bytesOf = ({ pieces }: Page): number => pieces.reduce((sum, { length }) => sum + length, 0);

/** Warnings follow only after a deployment has ended. */
export const isEndPage = (page: StoredEvent[]) => ['end', 'warning'].includes(page.at(-1)?.type ?? '');

export const eventPageText = (page: StoredEvent[]): string => page.map(textOfOne).join('');

const textOfOne = ({ seq, at, type, data }: StoredEvent): string =>
  eventText({ id: seq, event: type, data: { seq, at: isoTime(at), ...readEventData(data) } });

/** Splits a page into texts that fit a client's buffer. */
function* piecesOf(page: StoredEvent[]): Generator<Buffer> {
  let piece = '';
  for (const event of page) {
    piece += textOfOne(event);
    if (piece.length < pieceCharacters) continue;
    yield Buffer.from(piece);
    piece = '';
  }
  if (piece) yield Buffer.from(piece);
}
