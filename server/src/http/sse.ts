import type { ServerResponse } from 'node:http';

export type StreamEvent = { id: number; event: string; data: unknown };

/** One client that listens. Writes of the same turn leave together; a client that does not read is sent on its way. */
export interface EventStream {
  send(event: StreamEvent): void;
  /** Events that were put into text before, for many clients at once. */
  sendText(text: string): void;
  /** What is long past, at the client's own pace: returns when it is taken or the client is gone. */
  deliver(text: string): Promise<void>;
  /** Says goodbye and closes. */
  end(): void;
  /** Aborted once the client is gone or the service stops. */
  closed: AbortSignal;
}

export const eventText = ({ id, event, data }: StreamEvent): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

const heartbeatMs = 15_000;
const mostBufferedBytes = 1_000_000;
const patienceMs = 60_000;

/** All open streams of the service, so that stopping closes them. */
export class EventStreams {
  readonly #open = new Set<OpenStream>();
  #heartbeat: NodeJS.Timeout | undefined;

  open(response: ServerResponse, headers: Record<string, string>): EventStream {
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    response.flushHeaders();
    const stream = new OpenStream(response, () => this.#forget(stream));
    this.#open.add(stream);
    this.#heartbeat ??= setInterval(
      () => this.#open.forEach((each) => each.comment('still here')),
      heartbeatMs,
    ).unref();
    return stream;
  }

  get count() {
    return this.#open.size;
  }

  closeAll() {
    for (const stream of this.#open) stream.end();
  }

  #forget(stream: OpenStream) {
    this.#open.delete(stream);
    if (this.#open.size) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }
}

class OpenStream implements EventStream {
  readonly #response: ServerResponse;
  readonly #controller = new AbortController();
  #pending = '';
  #scheduled = false;

  constructor(response: ServerResponse, forget: () => void) {
    this.#response = response;
    response.once('close', () => {
      this.#controller.abort();
      forget();
    });
  }

  get closed() {
    return this.#controller.signal;
  }

  send(event: StreamEvent) {
    this.#write(eventText(event));
  }

  sendText(text: string) {
    if (text) this.#write(text);
  }

  async deliver(text: string) {
    this.#flush();
    if (!text || this.closed.aborted || this.#response.write(text)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const impatience = setTimeout(() => this.#response.destroy(), patienceMs);
    this.#response.once('drain', resolve);
    this.#response.once('close', resolve);
    await promise;
    this.#response.off('drain', resolve).off('close', resolve);
    clearTimeout(impatience);
  }

  /** Whoever still has to take something needs no sign of life. */
  comment(text: string) {
    if (!this.#response.writableNeedDrain) this.#write(`: ${text}\n\n`);
  }

  end() {
    this.#flush();
    this.#response.end();
  }

  #write(text: string) {
    if (this.closed.aborted) return;
    this.#pending += text;
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush() {
    this.#scheduled = false;
    if (!this.#pending || this.#response.destroyed) return;
    this.#response.write(this.#pending);
    this.#pending = '';
    // It resumes by its last id; what it missed is in the database, not in our memory.
    if (this.#response.writableLength > mostBufferedBytes) this.#response.destroy();
  }
}
