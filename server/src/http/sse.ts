import type { ServerResponse } from 'node:http';
import { limitPerEventLoopTurn } from '../lib/concurrency.ts';

export type StreamEvent = { id: number; event: string; data: unknown };

/** A connected client. Writes of the same tick are sent together; a client that does not read is disconnected. */
export interface EventStream {
  send(event: StreamEvent): void;
  sendShared(events: SharedEvents): void;
  /** Sends history with backpressure: resolves when it is sent or the client is gone. */
  deliver(text: string | Buffer): Promise<void>;
  /** Flushes and closes. */
  end(): void;
  /** Aborted once the client is gone or the service stops. */
  closed: AbortSignal;
}

export const eventText = ({ id, event, data }: StreamEvent): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Events that were encoded once for many clients. */
export class SharedEvents {
  readonly bytes: Buffer;
  /** As a chunk of HTTP. */
  readonly chunk: Buffer;

  constructor(text: string) {
    this.bytes = Buffer.from(text);
    const size = this.bytes.length.toString(16);
    this.chunk = Buffer.concat([Buffer.from(`${size}\r\n`), this.bytes, Buffer.from('\r\n')]);
  }
}

const heartbeatMs = 15_000;
const retryMs = 500;
/** Clients that reconnect together, as after a restart, do not delay the events of those who are there. */
const openedPerTurn = 4;
const mostBufferedBytes = 1_000_000;
const patienceMs = 60_000;

/** All open streams, so that stopping the service closes them. */
export class EventStreams {
  readonly #open = new Set<OpenStream>();
  /** Resolves when a stream may be opened. */
  readonly turn = limitPerEventLoopTurn(openedPerTurn);
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

  /** Tells each client when to reconnect, not all at the same moment. */
  closeAll() {
    for (const stream of this.#open) stream.end(`retry: ${retryMs + Math.round(Math.random() * retryMs)}\n\n`);
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

  /** The socket takes a whole chunk in one write; the response would need three, for each client again. */
  sendShared({ bytes, chunk }: SharedEvents) {
    if (this.closed.aborted || !bytes.length) return;
    this.#flush();
    const { socket, chunkedEncoding } = this.#response;
    // A pipelined response has no socket before its turn, and one to HTTP/1.0 has no chunks.
    if (socket && chunkedEncoding) socket.write(chunk);
    else this.#response.write(bytes);
    this.#endIfBehind();
  }

  async deliver(text: string | Buffer) {
    this.#flush();
    if (!text.length || this.closed.aborted || this.#response.write(text)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const impatience = setTimeout(() => this.#response.destroy(), patienceMs);
    this.#response.once('drain', resolve);
    this.#response.once('close', resolve);
    await promise;
    this.#response.off('drain', resolve).off('close', resolve);
    clearTimeout(impatience);
  }

  /** A client with pending data needs no heartbeat. */
  comment(text: string) {
    if (!this.#response.writableNeedDrain) this.#write(`: ${text}\n\n`);
  }

  end(last?: string) {
    this.#flush();
    this.#response.end(last);
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
    this.#endIfBehind();
  }

  /** The client resumes by its last id; missed events are in the database, not in our memory. */
  #endIfBehind() {
    if (this.#response.writableLength > mostBufferedBytes) this.#response.destroy();
  }
}
