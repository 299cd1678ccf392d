import { constants, Http2ServerResponse } from 'node:http2';
import { byteLengthOf, type Counted } from '../counted-response.ts';
import { countPassed } from '../passed-bytes.ts';

/** A response on an HTTP/2 stream, with the parts of the HTTP/1 interface that the edge uses. */
export class StreamResponse extends Http2ServerResponse implements Counted {
  answeredAt = 0;
  bodyBytes = 0;
  /** Has no effect: an HTTP/2 connection outlives every response. */
  shouldKeepAlive = true;

  /** HTTP/2 has no reason phrase. */
  override writeHead(status: number, ...rest: unknown[]): this {
    this.answeredAt ||= performance.now();
    const headers = rest.at(-1);
    if (!Array.isArray(headers) || this.getHeaderNames().length)
      return super.writeHead(status, headers as Record<string, string>);
    if (this.stream.destroyed || this.stream.closed) return this;
    // Sends the raw header list as is: Node's own path builds an object from it and takes it apart again.
    this.statusCode = status;
    this.stream.respond([':status', String(status), ...(headers as string[])], {
      waitForTrailers: !hasLength(headers),
    });
    return this;
  }

  /** `end` calls this too. */
  override write(chunk: unknown, encoding?: unknown, then?: unknown): boolean {
    const bytes = byteLengthOf(chunk, encoding);
    this.bodyBytes += bytes;
    countPassed(bytes);
    return super.write(chunk as Uint8Array, encoding as BufferEncoding, then as () => void);
  }

  override addTrailers(trailers: unknown): void {
    super.addTrailers(Object.fromEntries(trailers as [string, string][]));
  }

  /** Resets the stream, so that the client does not take a truncated body for complete. */
  override destroy(): this {
    this.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    return this;
  }
}

/** A response with a length has no trailers. */
const hasLength = (headers: string[]): boolean =>
  headers.some((name, i) => i % 2 === 0 && name.length === 14 && name.toLowerCase() === 'content-length');

// Node does not implement this property, although its types declare it.
Object.defineProperty(StreamResponse.prototype, 'destroyed', {
  get(this: StreamResponse) {
    return this.stream.destroyed || this.stream.closed;
  },
});
