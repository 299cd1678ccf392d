import { constants, Http2ServerResponse } from 'node:http2';
import { byteLengthOf, type Counted } from '../counted-response.ts';
import { countPassed } from '../passed-bytes.ts';

/** An answer on one stream of HTTP/2, as far as it has to be like one of HTTP/1. */
export class StreamResponse extends Http2ServerResponse implements Counted {
  answeredAt = 0;
  bodyBytes = 0;
  /** Of no meaning here: the connection outlives every answer. */
  shouldKeepAlive = true;

  /** HTTP/2 has no words beside the status. */
  override writeHead(status: number, ...rest: unknown[]): this {
    this.answeredAt ||= performance.now();
    const headers = rest.at(-1);
    if (!Array.isArray(headers) || this.getHeaderNames().length)
      return super.writeHead(status, headers as Record<string, string>);
    if (this.stream.destroyed || this.stream.closed) return this;
    // What an app answers goes out as it came: Node's own way makes an object of it, and takes it apart again.
    this.statusCode = status;
    this.stream.respond([':status', String(status), ...(headers as string[])], {
      waitForTrailers: !hasLength(headers),
    });
    return this;
  }

  /** `end` comes here too. */
  override write(chunk: unknown, encoding?: unknown, then?: unknown): boolean {
    const bytes = byteLengthOf(chunk);
    this.bodyBytes += bytes;
    countPassed(bytes);
    return super.write(chunk as Uint8Array, encoding as BufferEncoding, then as () => void);
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

/** Then there are no trailers. */
const hasLength = (headers: string[]): boolean =>
  headers.some((name, i) => i % 2 === 0 && name.length === 14 && name.toLowerCase() === 'content-length');

// Node's own has nothing of the kind, although its types say so.
Object.defineProperty(StreamResponse.prototype, 'destroyed', {
  get(this: StreamResponse) {
    return this.stream.destroyed || this.stream.closed;
  },
});
