import { setTimeout as sleep } from 'node:timers/promises';
import { lockFile } from '../../../lib/lock-file.ts';

class TakenError extends Error {
  override name = 'TakenError';
}

/** Runs the task under an exclusive file lock, across calls and processes. Fails after `withinMs`. */
export async function withLock<T>(path: string, withinMs: number, task: () => Promise<T>): Promise<T> {
  const lock = await take(path, Date.now() + withinMs);
  try {
    return await task();
  } finally {
    lock.release();
  }
}

async function take(path: string, giveUp: number): Promise<{ release(): void }> {
  for (;;) {
    try {
      return lockFile(path, () => new TakenError(`${path} is held by another operation`));
    } catch (error) {
      if (!(error instanceof TakenError) || Date.now() > giveUp) throw error;
    }
    await sleep(15);
  }
}
