import { NotAnEngineError } from '../../../drivers/runtime/docker/survey/bounded-answer.ts';
import { EngineError } from '../../../drivers/runtime/docker/engine/errors.ts';
import { ownSocket, usualSocket } from '../../../drivers/runtime/docker/engine/over-ssh.ts';
import { EngineAwayError } from '../../../drivers/runtime/errors.ts';
import { runAndCollect } from '../../../drivers/ssh/run-and-collect.ts';
import { type SshConnection, SshError } from '../../../drivers/ssh/ssh.ts';
import { AppError } from '../../../errors.ts';
import { safeText } from '../stack/safe-text.ts';

/** Fixed script without interpolated input. Reads only. */
const question = `
if [ ! -e "$1" ]; then echo absent
elif [ ! -w "$1" ]; then echo closed
else echo open; fi
`;

/**
 * Returns why the engine is unreachable over a working connection, by checking on the machine: SSH does not report
 * it.
 */
export async function engineReason(error: unknown, connection: SshConnection, signal: AbortSignal): Promise<unknown> {
  // Request errors are not the machine's fault.
  if (error instanceof AppError) return error;
  if (connection.gone.aborted) return connection.gone.reason;
  if (!(error instanceof EngineAwayError) || signal.aborted) return error;
  try {
    const { stdout } = await runAndCollect(connection, ['sh', '-c', question, 'mooring', usualSocket], signal);
    return reasons[stdout.trim()]?.(error) ?? error;
  } catch {
    // Fall back to the original error.
    return connection.gone.aborted ? connection.gone.reason : error;
  }
}

const reasons: Record<string, (error: EngineAwayError) => Error> = {
  absent: () =>
    new NotReachedError(
      `there is no engine at ${usualSocket}, and no rootless one of this user (${ownSocket}); Docker is not installed or not running`,
    ),
  closed: () =>
    new NotReachedError(
      `the user may not use the engine at ${usualSocket} (permission denied), and has no rootless one (${ownSocket}): add it to the group docker`,
    ),
  open: (error) =>
    /Channel open failure/.test(error.message)
      ? new NotReachedError(
          `nothing responds at ${usualSocket}: the engine is not running, or the SSH server forbids forwarding to it (AllowStreamLocalForwarding)`,
        )
      : error,
};

class NotReachedError extends Error {}

/** Returns a 502 with the reason for errors of the machine; other errors are returned unchanged. */
export function inspectionFailed(error: unknown, signal: AbortSignal, deadlineMs: number): unknown {
  if (error instanceof AppError) return error;
  const reason = signal.aborted ? `it did not respond within ${deadlineMs / 1000} s` : reasonOf(error);
  if (reason === undefined) return error;
  return runtimeUnavailable(reason, error);
}

const couldNotLook = "the server's container runtime could not be inspected";

export const runtimeUnavailable = (reason: string, cause?: unknown, sentence = couldNotLook): AppError =>
  new AppError('runtime_unavailable', sentence, {
    message: safeText(reason, 600),
    cause,
  });

function reasonOf(error: unknown): string | undefined {
  if (error instanceof SshError)
    return error.code === 'host_key_changed'
      ? `${error.message}. If you reinstalled the machine, send its credentials again with hostKey: null`
      : error.message;
  if (error instanceof EngineError) return `the container engine refuses the request: ${error.message}`;
  if (error instanceof EngineAwayError || error instanceof NotAnEngineError || error instanceof NotReachedError)
    return error.message;
  return isChannelFailure(error) ? `the server closes SSH channels: ${error.message}` : undefined;
}

/** Errors of ssh2 for rejected channels and invalid SFTP data. */
const isChannelFailure = (error: unknown): error is Error =>
  error instanceof Error &&
  (('reason' in error && typeof error.reason === 'number') || /SFTP|channel/i.test(error.message));
