import { constants, Http2ServerResponse } from 'node:http2';
import { bytesOf, type Counted } from '../counted-response.ts';

/** An answer on one stream of HTTP/2, as far as it has to be like one of HTTP/1. */
export class StreamResponse extends Http2ServerResponse implements Counted {
  answeredAt = 0;
  bodyBytes = 0;
  /** Of no meaning here: the connection outlives every answer. */
  shouldKeepAlive = true;

  /** HTTP/2 has no words beside the status. */
  override writeHead(status: number, ...rest: unknown[]): this {
    this.answeredAt ||= performance.now();
    return super.writeHead(status, rest.at(-1) as Record<string, string>);
  }

  /** `end` comes here too. */
  override write(...args: unknown[]): boolean {
    this.bodyBytes += bytesOf(args[0]);
    return super.write(...(args as [Uint8Array]));
  }

  override addTrailers(trailers: unknown): void {
    super.addTrailers(Object.fromEntries(trailers as [string, string][]));
  }

  /** The client must not take what it has for the whole. */
  override destroy(): this {
    this.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    return this;
  }
}

// Node's own has nothing of the kind, although its types say so.
Object.defineProperty(StreamResponse.prototype, 'destroyed', {
  get(this: StreamResponse) {
    return this.stream.destroyed || this.stream.closed;
  },
});
