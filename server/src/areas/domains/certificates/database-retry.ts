import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '../../../db/database.ts';

const pauseMs = 500;
const longestMs = 300_000;

/** Tries again while the database is away: what an authority has issued would be lost, and ordered once more. The work must be one
 * that may be done twice. */
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
