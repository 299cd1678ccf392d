import { ImageTimeoutError } from './errors.ts';
import type { RunOptions } from './images.ts';

/** What a task may take to end in order. Then its caller goes on without it: an engine that hangs holds nobody. */
const endingMs = 8_000;

/** Runs a task that ends when its caller wants so, when its time is over, or when `abort` is called; the signal's reason says
 * which it was. */
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
