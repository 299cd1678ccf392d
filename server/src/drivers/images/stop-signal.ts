import { ImageTimeoutError } from './errors.ts';
import type { RunOptions } from './images.ts';

/** Time for a task to end in order. After that the caller continues: a hanging engine blocks nobody. */
const endingMs = 8_000;

/** Runs a task until its caller aborts it, the deadline passes or `abort` is called; the signal's reason says
 * which. */
export async function untilStopped<T>(
  what: string,
  { signal, deadlineMs }: Pick<RunOptions, 'signal' | 'deadlineMs'>,
  task: (stop: AbortSignal, abort: (reason: Error) => void) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const stop = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  const onAbort = () => stop.abort(signal.reason);
  timers.push(setTimeout(() => stop.abort(new ImageTimeoutError(what, deadlineMs)), deadlineMs));
  signal.addEventListener('abort', onAbort, { once: true });
  const overdue = new Promise<never>((_, reject) => {
    const giveUp = () => timers.push(setTimeout(() => reject(stop.signal.reason as Error), endingMs));
    stop.signal.addEventListener('abort', giveUp, { once: true });
  });
  try {
    return await Promise.race([task(stop.signal, (reason) => stop.abort(reason)), overdue]);
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
