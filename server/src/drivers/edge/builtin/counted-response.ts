import { ServerResponse } from 'node:http';

/** What is counted of an answer while it is given. */
export interface Counted {
  /** When its first line was ready, by the process's own clock; 0 before. */
  answeredAt: number;
  bodyBytes: number;
}

/** An answer, by whichever protocol it goes out. */
export type Answer = ServerResponse & Counted;

export const bytesOf = (chunk: unknown): number =>
  typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk instanceof Uint8Array ? chunk.length : 0;

/** An answer in HTTP/1 that knows how much it has sent. */
export class CountedResponse extends ServerResponse implements Counted {
  answeredAt = 0;
  bodyBytes = 0;

  // What is passed through is whatever Node takes; each of these has several forms.
  override writeHead(...args: unknown[]): this {
    this.answeredAt ||= performance.now();
    return super.writeHead(...(args as Parameters<ServerResponse['writeHead']>)) as this;
  }

  override write(...args: unknown[]): boolean {
    this.bodyBytes += bytesOf(args[0]);
    return super.write(...(args as Parameters<ServerResponse['write']>));
  }

  override end(...args: unknown[]): this {
    this.bodyBytes += bytesOf(args[0]);
    return super.end(...(args as Parameters<ServerResponse['end']>)) as this;
  }
}
