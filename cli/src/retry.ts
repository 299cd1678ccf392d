import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@mooring/client';
import { Unreachable } from './errors.ts';

const firstWaitMs = 250;
const longestWaitMs = 5000;
const giveUpAfterMs = 300_000;

/** Whether a retry may succeed: the service or its proxy is restarting. */
export const isTemporaryError = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof ApiError && [429, 502, 503, 504].includes(error.status));

/** Retries with backoff until a deadline. */
export class RetryBackoff {
  #since: number | undefined;
  #waits = 0;

  /** Whether this is the first failure since the last contact. */
  get isNew(): boolean {
    return this.#waits === 0;
  }

  /** Throws the error if it is permanent or the deadline has passed. */
  async wait(error: unknown): Promise<void> {
    this.#since ??= Date.now();
    if (!isTemporaryError(error) || Date.now() - this.#since > giveUpAfterMs) throw error;
    const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** this.#waits++);
    await sleep(wait * (0.5 + Math.random() / 2));
  }

  restore(): void {
    this.#since = undefined;
    this.#waits = 0;
  }
}

/** Retries until the service is back. Only for requests without side effects. */
export async function retryWhileAway<T>(request: () => Promise<T>): Promise<T> {
  const patience = new RetryBackoff();
  for (;;) {
    try {
      return await request();
    } catch (error) {
      await patience.wait(error);
    }
  }
}
