import { ServerResponse } from 'node:http';
import { countPassed } from './passed-bytes.ts';

/** What is counted of an answer while it is given. */
export interface Counted {
  /** When its first line was ready, by the process's own clock; 0 before. */
  answeredAt: number;
  bodyBytes: number;
}

/** An answer, by whichever protocol it goes out. */
export type EdgeResponse = ServerResponse & Counted;

export const byteLengthOf = (chunk: unknown): number =>
  typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk instanceof Uint8Array ? chunk.length : 0;

/** An answer in HTTP/1 that knows how much it has sent. */
export class CountedResponse extends ServerResponse implements Counted {
  answeredAt = 0;
  bodyBytes = 0;

  // What is passed through is whatever Node takes; each of these has several forms.
  override writeHead(status: number, reason?: unknown, headers?: unknown): this {
    this.answeredAt ||= performance.now();
    return super.writeHead(status, reason as string, headers as string[]) as this;
  }

  override write(chunk: unknown, encoding?: unknown, then?: unknown): boolean {
    const bytes = byteLengthOf(chunk);
    this.bodyBytes += bytes;
    countPassed(bytes);
    return super.write(chunk, encoding as BufferEncoding, then as () => void);
  }

  override end(chunk?: unknown, encoding?: unknown, then?: unknown): this {
    this.bodyBytes += byteLengthOf(chunk);
    return super.end(chunk, encoding as BufferEncoding, then as () => void) as this;
  }
}
