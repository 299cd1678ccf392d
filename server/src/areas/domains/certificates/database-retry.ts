import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '../../../db/database.ts';

const pauseMs = 500;
const longestMs = 300_000;

/**
 * Retries while the database is unavailable, since an issued certificate would otherwise be lost and ordered again.
 * `work` must be idempotent.
 */
export async function retryWhileDatabaseAway<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (const end = Date.now() + longestMs; ;) {
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error) || Date.now() > end) throw error;
    }
    await sleep(pauseMs);
    signal.throwIfAborted();
  }
}
