import { setTimeout as sleep } from 'node:timers/promises';
import type { AcmeAnswer } from './exchange.ts';
import { retryAfterMs } from './problem.ts';

const firstPauseMs = 100;
const longestPauseMs = 5000;
/** Upper bound for Retry-After: the order has a deadline. */
const longestAskedMs = 30_000;

type Polling<T> = {
  read: () => Promise<AcmeAnswer>;
  parse: (body: string) => T;
  isDone: (value: T) => boolean;
  signal: AbortSignal;
};

/** Polls at the pace that the authority requests. The signal ends it. */
export async function pollAuthority<T>({ read, parse, isDone, signal }: Polling<T>): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const answer = await read();
    const value = parse(answer.body);
    if (isDone(value)) return value;
    const askedMs = Math.min(retryAfterMs(answer) ?? 0, longestAskedMs);
    await sleep(Math.max(pauseMs, askedMs), undefined, { signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
  }
}
