import { ImageTimeoutError } from './errors.ts';
import type { RunOptions } from './images.ts';

/** Runs a task that ends when its caller wants so, when its time is over, or when `abort` is called; the signal's reason says
 * which it was. */
export async function untilStopped<T>(
  what: string,
  { signal, deadlineMs }: Pick<RunOptions, 'signal' | 'deadlineMs'>,
  task: (stop: AbortSignal, abort: (reason: Error) => void) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const stop = new AbortController();
  const onAbort = () => stop.abort(signal.reason);
  const timer = setTimeout(() => stop.abort(new ImageTimeoutError(what, deadlineMs)), deadlineMs);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await task(stop.signal, (reason) => stop.abort(reason));
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
