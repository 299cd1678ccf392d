import { StorageError } from './storage.ts';

/** How long the target gets to take back what a failed or ended call has left. */
export const cleanUpMs = 10_000;

/** Takes back what a call has begun, and gives the error that it failed with; if something stays behind, it says so. */
export async function afterCleanUp(error: unknown, cleanUp: () => Promise<unknown>): Promise<unknown> {
  try {
    await cleanUp();
    return error;
  } catch (failure) {
    if (!(error instanceof StorageError)) return error;
    return new StorageError(error.code, `${error.message}; what was stored so far could not be removed`, {
      cause: failure,
    });
  }
}
