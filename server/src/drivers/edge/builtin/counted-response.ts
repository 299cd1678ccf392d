import { ServerResponse } from 'node:http';
import { countPassed } from './passed-bytes.ts';

/** Counters of a response in progress. */
export interface ResponseCounters {
  /** `performance.now()` when the response head was ready; 0 before. */
  answeredAt: number;
  bodyBytes: number;
}

/** A response over HTTP/1 or HTTP/2. */
export type EdgeResponse = ServerResponse & ResponseCounters;

export const byteLengthOf = (chunk: unknown, encoding?: unknown): number =>
  typeof chunk === 'string'
    ? Buffer.byteLength(chunk, encoding as BufferEncoding)
    : chunk instanceof Uint8Array
      ? chunk.length
      : 0;

/** An HTTP/1 response that counts the bytes it sends. */
export class CountedResponse extends ServerResponse implements ResponseCounters {
  answeredAt = 0;
  bodyBytes = 0;

  // Node's methods have several overloads; the arguments are passed through unchanged.
  override writeHead(status: number, reason?: unknown, headers?: unknown): this {
    this.answeredAt ||= performance.now();
    return super.writeHead(status, reason as string, headers as string[]) as this;
  }

  override write(chunk: unknown, encoding?: unknown, then?: unknown): boolean {
    const bytes = byteLengthOf(chunk, encoding);
    this.bodyBytes += bytes;
    countPassed(bytes);
    return super.write(chunk, encoding as BufferEncoding, then as () => void);
  }

  override end(chunk?: unknown, encoding?: unknown, then?: unknown): this {
    this.bodyBytes += byteLengthOf(chunk, encoding);
    return super.end(chunk, encoding as BufferEncoding, then as () => void) as this;
  }
}
