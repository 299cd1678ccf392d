import { StorageError } from './storage.ts';

/** Time to clean up after a failed or aborted call. */
export const cleanUpMs = 5_000;

/** Cleans up after a failed call and returns its error, which mentions a failed clean-up. */
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

/** Lets a task finish for a while after the signal, because otherwise nobody could tell whether there is something to
 * clean up. */
export async function withGracePeriod<T>(signal: AbortSignal, task: (late: AbortSignal) => Promise<T>): Promise<T> {
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
