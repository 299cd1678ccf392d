import { CancelledError } from '../../../events/lease.ts';
import type { Job } from './job.ts';

const afterCancelMs = 60_000;

/** Runs the hook after the work, also after a failure or a cancel. The first error is the one that is reported; it
 * mentions that of the hook. */
export async function withAfterHook(
  work: () => Promise<void>,
  hook: (signal: AbortSignal) => Promise<void>,
  { signal, say }: Pick<Job, 'signal' | 'say'>,
): Promise<void> {
  let failure: Error | undefined;
  await work().catch((error: Error) => (failure = error));
  // The signal of a cancelled job would end the hook at once.
  const late = signal.reason instanceof CancelledError ? AbortSignal.timeout(afterCancelMs) : signal;
  await hook(late).catch((error: Error) => {
    if (!failure) throw error;
    if (late.aborted) return;
    say(`The command after the backup failed, too: ${error.message}`, 'error');
    failure.message += `; the command after the backup failed, too: ${error.message}`;
  });
  if (failure) throw failure;
}
