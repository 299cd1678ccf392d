import { StorageError } from './storage.ts';

/** How long the target gets to take back what a failed or ended call has left. */
export const cleanUpMs = 5_000;

/** Takes back what a call has begun, and gives the error that it failed with; if something stays behind, it says so. */
export async function afterCleanUp(error: unknown, cleanUp: () => Promise<unknown>): Promise<unknown> {
  try {
    await cleanUp();
    return error;
  } catch (failure) {
    if (!(error instanceof StorageError)) return error;
    return new StorageError(error.code, `${error.message}; the partial upload could not be removed`, {
      cause: failure,
    });
  }
}

/** Runs what has to be known to the end, or nobody could tell whether there is something to take back: it goes on for a
 * while after the signal. */
export async function lingering<T>(signal: AbortSignal, task: (late: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => (timer = setTimeout(() => late.abort(signal.reason), cleanUpMs));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await task(late.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
