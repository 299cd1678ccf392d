import { ApiError } from '@mooring/client';
import { plain } from './output.ts';

/** Something did not work, told in one sentence. */
export class Failure extends Error {
  override name = 'Failure';
}

/** There was no answer, or it broke off; it may work later. */
export class Unreachable extends Failure {
  override name = 'Unreachable';
}

/** The command was not called as it wants to be. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Ctrl-C at a question. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}

/** `partial`: a deployment came out half and waits for a decision. */
export const exitCodes = { failed: 1, usage: 2, partial: 3, interrupted: 130 } as const;

/** How the command ends after an error: what it says, if anything, and its exit code. */
export function endingOf(error: unknown): { sentence?: string; exitCode: number } {
  if (error instanceof Interrupted) return { exitCode: exitCodes.interrupted };
  if (isClosedPipe(error)) return { exitCode: 0 };
  if (error instanceof UsageError) return { sentence: plain(error.message), exitCode: exitCodes.usage };
  return { sentence: sentenceOf(error), exitCode: exitCodes.failed };
}

function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) return plain(error.message) + adviceOn(error);
  if (error instanceof Failure || isSystemError(error)) return plain(error.message);
  // Anything else is a defect of ours, and whoever reports it needs to say where.
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function adviceOn({ status, code, message }: ApiError): string {
  if (status === 401) return process.env.MOORING_TOKEN ? '; check MOORING_TOKEN' : '; run: mooring login';
  const pending = code === 'decision_pending' && /\bdep_\w+/.exec(message)?.[0];
  return pending ? ` (mooring keep ${pending}, or mooring reject ${pending})` : '';
}

/** The reader went away, as `| head` does: nothing is wrong and nobody is there to tell. */
export const isClosedPipe = (error: unknown) => (error as NodeJS.ErrnoException | null)?.code === 'EPIPE';

/** A file that is not there or not ours to read: its message is a sentence already. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** A `fetch` that failed before there was an answer. */
export function unreachable(url: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  const cause = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  if (cause.code === 'ECONNREFUSED')
    return new Unreachable(`cannot reach ${url}: is Mooring running there? (npm start)`);
  return new Unreachable(`cannot reach ${url}: ${cause.message || cause.code}`);
}
