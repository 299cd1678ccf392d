import { setTimeout as sleep } from 'node:timers/promises';
import { lockFile } from '../../../lib/lock-file.ts';

class TakenError extends Error {
  override name = 'TakenError';
}

/** Runs the task alone, among everybody who asks for this file: other calls, other processes. Nobody waits for ever. */
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
