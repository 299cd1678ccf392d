import { type GitHostCode, GitHostError } from '../../drivers/githost/errors.ts';
import { AppError, type ErrorCode } from '../../errors.ts';

/** Error codes for callers. Rejected credentials count as not connected. */
const codeOf: Record<GitHostCode, ErrorCode> = {
  not_found: 'not_found',
  unauthorized: 'not_connected',
  forbidden: 'forbidden',
  rate_limited: 'rate_limited',
  unavailable: 'git_host_unavailable',
  conflict: 'conflict',
  invalid: 'bad_request',
};

const usualPauseSeconds = 60;

/** Runs a call to the git host and converts its errors. */
export async function withGitHostErrors<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof GitHostError ? asAppError(error) : error;
  }
}

export function asAppError(error: GitHostError): AppError {
  const { code, retryAt, message, cause } = error;
  // The linked cloud is unreachable, not the git host.
  if (cause instanceof AppError && cause.code === 'cloud_unreachable') return cause;
  const waits = code === 'rate_limited' || (code === 'unavailable' && retryAt !== undefined);
  const retryAfterSeconds = retryAt ? Math.max(1, Math.ceil((retryAt - Date.now()) / 1000)) : usualPauseSeconds;
  return new AppError(codeOf[code], message, {
    cause: error,
    ...(code === 'unavailable' && { message }),
    ...(waits && { retryAfterSeconds }),
  });
}
