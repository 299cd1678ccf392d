import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@mooring/client';
import { Unreachable } from './errors.ts';

const firstWaitMs = 250;
const longestWaitMs = 5000;
const giveUpAfterMs = 300_000;

/** Whether the same request may work later: the service restarts, or a proxy in front of it does. */
export const isPassing = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof ApiError && [429, 502, 503, 504].includes(error.status));

/** Waits longer from time to time, until it has been too long. */
export class Patience {
  #since: number | undefined;
  #waits = 0;

  /** Whether contact was lost, and this is the first time that we know. */
  get isNew(): boolean {
    return this.#waits === 0;
  }

  /** Throws the error if it will not pass, or has not for too long. */
  async wait(error: unknown): Promise<void> {
    this.#since ??= Date.now();
    if (!isPassing(error) || Date.now() - this.#since > giveUpAfterMs) throw error;
    const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** this.#waits++);
    await sleep(wait * (0.5 + Math.random() / 2));
  }

  restore(): void {
    this.#since = undefined;
    this.#waits = 0;
  }
}

/** Asks again until the service is back. Only for requests that change nothing. */
export async function patiently<T>(request: () => Promise<T>): Promise<T> {
  const patience = new Patience();
  for (;;) {
    try {
      return await request();
    } catch (error) {
      await patience.wait(error);
    }
  }
}
