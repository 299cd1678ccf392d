import { ApiError } from '@mooring/client';
import { plainText } from './output.ts';

/** An expected error with a one-sentence message. */
export class Failure extends Error {
  override name = 'Failure';
}

/** No response, or an incomplete one; a retry may succeed. */
export class Unreachable extends Failure {
  override name = 'Unreachable';
}

/** Wrong usage of the command. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Ctrl-C at a prompt. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}

/** `partial`: a deployment partially failed and needs a decision. */
export const exitCodes = { failed: 1, usage: 2, partial: 3, interrupted: 130 } as const;

/** Returns the message, if any, and the exit code for an error. */
export function exitOfError(error: unknown): { sentence?: string; exitCode: number } {
  if (error instanceof Interrupted) return { exitCode: exitCodes.interrupted };
  if (isClosedPipe(error)) return { exitCode: 0 };
  if (error instanceof UsageError) return { sentence: plainText(error.message), exitCode: exitCodes.usage };
  return { sentence: sentenceOf(error), exitCode: exitCodes.failed };
}

function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) return plainText(error.message) + adviceOn(error);
  if (error instanceof Failure || isSystemError(error)) return plainText(error.message);
  // Anything else is a bug, and its report needs the stack.
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function adviceOn({ status, code, message }: ApiError): string {
  if (status === 401) return process.env.MOORING_TOKEN ? '; check MOORING_TOKEN' : '; run: mooring login';
  const pending = code === 'decision_pending' && /\bdep_\w+/.exec(message)?.[0];
  return pending ? ` (mooring keep ${pending}, or mooring reject ${pending})` : '';
}

/** The reader closed the pipe, as `| head` does: not an error. */
export const isClosedPipe = (error: unknown) => (error as NodeJS.ErrnoException | null)?.code === 'EPIPE';

/** A missing or unreadable file: Node's message is good enough. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** A `fetch` that failed without a response. */
export function unreachable(url: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  const cause = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  if (cause.code === 'ECONNREFUSED') return new Unreachable(`cannot reach ${url}: is Mooring running there?`);
  return new Unreachable(`cannot reach ${url}: ${cause.message || cause.code}`);
}
