import type { Socket } from 'node:net';
import type { ClientExchange } from '../exchange.ts';
import { allowedTrailers, trailerLines, trailerPairs } from '../headers.ts';
import { countPassed } from '../passed-bytes.ts';
import type { AttemptFailure } from '../retries.ts';
import type { Connection, ConnectionUser } from './connection.ts';
import type { ResponseHead } from './response-head.ts';
import type { ResponseParser } from './response-parser.ts';

const lingerMs = 2000;
/** Up to here, text in one write is cheaper than a copy of the bytes in a second one. */
const mostTextBytes = 16_384;

/** Receives the response of an attempt, or its failure. */
export interface AttemptOwner {
  /** The response begins; `head` is passed on after this. */
  onAnswer(head: ResponseHead): void;
  onUpgrade(head: ResponseHead, socket: Socket, first: Buffer): void;
  /** There is no response. */
  onFailure(failure: AttemptFailure): void;
  /** The client has the response or is gone. */
  onOver(): void;
  onError(error: unknown): void;
}

/** Sends a request to one upstream, once, and passes the response on. Reads nothing of a streamed body before the
 * connection is established. */
export class Attempt implements ConnectionUser {
  isSent = false;
  readonly #exchange: ClientExchange;
  readonly #connection: Connection;
  readonly #head: string;
  /** The whole body of a request that may be retried. */
  readonly #body: Buffer | null;
  readonly #owner: AttemptOwner;
  #isAnswered = false;
  #isChunked = false;
  #isPaused = false;
  #stopBody: (() => void) | null = null;

  constructor(
    exchange: ClientExchange,
    connection: Connection,
    head: string,
    body: Buffer | null,
    owner: AttemptOwner,
  ) {
    this.#exchange = exchange;
    this.#connection = connection;
    this.#head = head;
    this.#body = body;
    this.#owner = owner;
  }

  start(): void {
    this.#exchange.whenClosed = this;
    this.#connection.use(this, this.#exchange.request.method!);
  }

  onReady(): void {
    const body = this.#body;
    const { socket } = this.#connection;
    if (this.#exchange.framing !== 'none' && !body) return this.#streamBody(socket);
    if (!body) socket.write(this.#head, 'latin1');
    else if (body.length <= mostTextBytes) socket.write(this.#head + body.toString('latin1'), 'latin1');
    else {
      socket.write(this.#head, 'latin1');
      socket.write(body);
    }
    this.isSent = true;
  }

  #streamBody(socket: Socket): void {
    const { request, framing } = this.#exchange;
    const isChunked = framing === 'chunked';
    socket.cork();
    socket.write(this.#head, 'latin1');
    const onData = (chunk: Buffer): void => {
      this.#exchange.bytesIn += chunk.length;
      this.#connection.activeAt = performance.now();
      countPassed(chunk.length);
      if (isChunked) {
        socket.cork();
        socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1');
        socket.write(chunk);
      }
      const hasRoom = isChunked ? socket.write('\r\n', 'latin1') : socket.write(chunk);
      if (isChunked) socket.uncork();
      if (!hasRoom) request.pause();
    };
    const onEnd = (): void => {
      this.#stopBody = null;
      // The client broke off; the app must not take the request for complete.
      if (!this.#exchange.isWhole()) return this.#connection.close();
      if (isChunked) socket.write(`0\r\n${trailerLines(allowedTrailers(request.rawTrailers))}\r\n`, 'latin1');
      this.isSent = true;
    };
    this.#stopBody = () => {
      this.#stopBody = null;
      request.off('data', onData).off('end', onEnd);
    };
    request.on('data', onData).once('end', onEnd);
    // The request emits what it has before this, so a body that came with the head leaves with it.
    process.nextTick(() => socket.uncork());
  }

  onDrain(): void {
    if (this.#stopBody) this.#exchange.request.resume();
  }

  onContinue(): void {
    this.#exchange.response.writeContinue();
  }

  onResponse(parser: ResponseParser, buffer: Buffer): void {
    const { response } = this.#exchange;
    const { bodyStart, bodyEnd, isOver } = parser;
    if (!this.#isAnswered) this.#begin(parser.head!, parser.hasBody);
    if (isOver) return this.#end(parser, buffer);
    if (bodyEnd > bodyStart) {
      if (response.write(Buffer.from(buffer.subarray(bodyStart, bodyEnd)))) return;
      this.#connection.socket.pause();
      if (!this.#isPaused) response.on('drain', () => this.#connection.socket.resume());
      this.#isPaused = true;
      return;
    }
    // The body usually comes with the head and leaves with it; otherwise the head leaves now.
    setImmediate(() => {
      if (!response.writableEnded && !response.destroyed) response.flushHeaders();
    });
  }

  #begin(head: ResponseHead, hasBody: boolean): void {
    const { request, response } = this.#exchange;
    this.#isAnswered = true;
    this.#owner.onAnswer(head);
    // Only a body without a length can have trailers.
    this.#isChunked = hasBody && head.length < 0 && request.httpVersion !== '1.0';
    if (this.#isChunked && head.trailer) head.headers.push('Trailer', head.trailer);
    response.writeHead(head.status, head.reason, head.headers);
  }

  #end({ bodyStart, bodyEnd, trailers }: ResponseParser, buffer: Buffer): void {
    const { request, response, framing } = this.#exchange;
    if (this.#isChunked && trailers.length) response.addTrailers(trailerPairs(allowedTrailers(trailers)));
    const bytes = bodyEnd - bodyStart;
    if (!bytes) response.end();
    else if (bytes <= mostTextBytes) response.end(buffer.toString('latin1', bodyStart, bodyEnd), 'latin1');
    else response.end(Buffer.from(buffer.subarray(bodyStart, bodyEnd)));
    if (framing !== 'none' && !request.complete) this.#letGo();
  }

  /** The app responded without reading the whole body. Gives the client a moment to read the response. */
  #letGo(): void {
    const { request } = this.#exchange;
    this.#stopBody?.();
    request.resume();
    const timer = setTimeout(() => this.#exchange.cut(), lingerMs);
    request.once('close', () => clearTimeout(timer));
  }

  onUpgrade(head: ResponseHead, socket: Socket, first: Buffer): void {
    this.#exchange.whenClosed = null;
    this.#owner.onUpgrade(head, socket, first);
  }

  onFailure(failure: AttemptFailure): void {
    // Truncated: the client must not take the response for complete.
    if (this.#isAnswered) return void this.#exchange.response.destroy();
    this.#exchange.whenClosed = null;
    if (this.#stopBody) this.#letGo();
    this.#owner.onFailure(failure);
  }

  onError(error: unknown): void {
    this.#exchange.whenClosed = null;
    this.#stopBody?.();
    this.#owner.onError(error);
  }

  /** The client has everything, or is gone. */
  onClientClosed(): void {
    this.#exchange.whenClosed = null;
    this.#connection.abandon(this);
    this.#owner.onOver();
  }
}
