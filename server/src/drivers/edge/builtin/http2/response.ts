import { constants, type ServerHttp2Stream } from 'node:http2';
import { byteLengthOf, type ResponseCounters } from '../counted-response.ts';
import { countPassed } from '../passed-bytes.ts';

/** A response on an HTTP/2 stream, with the parts of the HTTP/1 interface that the edge uses. */
export class StreamResponse implements ResponseCounters {
  answeredAt = 0;
  bodyBytes = 0;
  statusCode = 200;
  /** Has no effect: an HTTP/2 connection outlives every response. */
  shouldKeepAlive = true;
  readonly #stream: ServerHttp2Stream;
  /** The one header that is set before `writeHead`. */
  #more: string[] = [];
  /** Without a prototype: the names come from the app. */
  readonly #trailers: Record<string, string[]> = Object.create(null);

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream;
  }

  get headersSent(): boolean {
    return this.#stream.headersSent;
  }

  get destroyed(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  get writableEnded(): boolean {
    return this.#stream.writableEnded;
  }

  setHeader(name: string, value: string): void {
    this.#more = [name, value];
  }

  /** With a raw list of headers, or an object. HTTP/2 has no reason phrase. */
  writeHead(status: number, ...rest: unknown[]): this {
    this.answeredAt ||= performance.now();
    this.statusCode = status;
    if (this.destroyed) return this;
    const given = rest.at(-1) as string[] | Record<string, string | number>;
    const headers = Array.isArray(given) ? given : Object.entries(given).flat().map(String);
    const length = lengthAt(headers);
    // Node sends a 205 without its body, as it should be, so the length must not announce one.
    if (status === 205 && length >= 0) headers.splice(length, 2);
    // A response with a length has no trailers.
    const waitForTrailers = length < 0;
    if (waitForTrailers) this.#stream.once('wantTrailers', () => this.#stream.sendTrailers(this.#trailers));
    // Node refuses invalid statuses, which clients treat as a 500 (RFC 9110, 15).
    const sent = status > 599 ? 500 : status;
    this.#stream.respond([':status', String(sent), ...headers, ...this.#more], { waitForTrailers });
    return this;
  }

  /** Node has sent them. */
  flushHeaders(): void {}

  writeContinue(): void {
    if (!this.destroyed && !this.headersSent) this.#stream.additionalHeaders({ ':status': 100 });
  }

  write(chunk: Uint8Array, then?: () => void): boolean {
    if (this.destroyed || this.writableEnded) return false;
    this.bodyBytes += chunk.length;
    countPassed(chunk.length);
    return this.#stream.write(chunk, then);
  }

  end(chunk?: Uint8Array | string, encoding: BufferEncoding = 'utf8'): void {
    if (this.destroyed || this.writableEnded) return;
    this.bodyBytes += byteLengthOf(chunk, encoding);
    this.#stream.end(chunk, encoding);
  }

  addTrailers(trailers: [string, string][]): void {
    for (const [name, value] of trailers) (this.#trailers[name] ??= []).push(value);
  }

  /** Resets the stream, so that the client does not take a truncated body for complete. */
  destroy(): void {
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  on(event: string, listener: () => void): this {
    this.#stream.on(event, listener);
    return this;
  }

  once(event: string, listener: () => void): this {
    this.#stream.once(event, listener);
    return this;
  }

  off(event: string, listener: () => void): this {
    this.#stream.off(event, listener);
    return this;
  }
}

/** Returns the index of Content-Length, or -1. */
function lengthAt(headers: string[]): number {
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i]!.length === 14 && headers[i]!.toLowerCase() === 'content-length') return i;
  return -1;
}
