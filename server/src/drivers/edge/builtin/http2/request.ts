import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';

/** A request on an HTTP/2 stream, with the parts of the HTTP/1 interface that the edge uses. Node's own classes for
 * this and the response take an eighth of the CPU time of a request. */
export class StreamRequest {
  readonly httpVersion = '2.0';
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: string[];
  readonly rawTrailers: string[] = [];

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: string[]) {
    this.stream = stream;
    this.headers = headers;
    this.rawHeaders = rawHeaders;
    if (!stream.endAfterHeaders)
      stream.on('trailers', (_trailers: unknown, _flags: number, raw: string[]) => this.rawTrailers.push(...raw));
  }

  get method(): string {
    return this.headers[':method']!;
  }

  /** Whether the body was read to its end, or never will be. */
  get complete(): boolean {
    return this.stream.readableEnded || this.stream.closed || this.stream.destroyed;
  }

  get readableFlowing(): boolean | null {
    return this.stream.readableFlowing;
  }

  isPaused = (): boolean => this.stream.isPaused();
  pause = (): unknown => this.stream.pause();
  resume = (): unknown => this.stream.resume();

  on(event: string, listener: (...args: never[]) => void): this {
    this.stream.on(event, listener as () => void);
    return this;
  }

  once(event: string, listener: (...args: never[]) => void): this {
    this.stream.once(event, listener as () => void);
    return this;
  }

  off(event: string, listener: (...args: never[]) => void): this {
    this.stream.off(event, listener as () => void);
    return this;
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer> {
    return this.stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }
}
