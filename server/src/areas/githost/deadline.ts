import { GitHostError } from '../../drivers/githost/errors.ts';

/**
 * Fails with `unavailable` after `ms`. Work that ignores the signal, such as a token refresh that must be stored,
 * continues unawaited.
 */
export async function withDeadline<T>(
  ms: number,
  act: (signal: AbortSignal) => Promise<T>,
  sooner?: AbortSignal,
): Promise<T> {
  const signal = AbortSignal.any([AbortSignal.timeout(ms), ...(sooner ? [sooner] : [])]);
  const tooLate = new Promise<never>((_, reject) => {
    const end = () => reject(signal.reason as Error);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });
  try {
    return await Promise.race([act(signal), tooLate]);
  } catch (error) {
    if (!signal.aborted || error instanceof GitHostError) throw error;
    throw new GitHostError('unavailable', `the git host did not respond within ${ms / 1000} s`, { cause: error });
  }
}
