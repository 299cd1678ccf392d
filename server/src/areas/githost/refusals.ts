import { type GitHostCode, GitHostError } from '../../drivers/githost/errors.ts';
import { AppError, type ErrorCode } from '../../errors.ts';

/** What a refusal of the host means to whoever asked us. A connection that it no longer accepts is as good as none. */
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

/** Does something at the host; what comes of it is an answer for the caller, never an error of ours. */
export async function atGitHost<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof GitHostError ? asAppError(error) : error;
  }
}

export function asAppError(error: GitHostError): AppError {
  const { code, retryAt, message, cause } = error;
  // It is not the host that is away, but the cloud that lends us its app.
  if (cause instanceof AppError && cause.code === 'cloud_unreachable') return cause;
  const waits = code === 'rate_limited' || (code === 'unavailable' && retryAt !== undefined);
  const retryAfterSeconds = retryAt ? Math.max(1, Math.ceil((retryAt - Date.now()) / 1000)) : usualPauseSeconds;
  return new AppError(codeOf[code], message, {
    cause: error,
    ...(code === 'unavailable' && { message }),
    ...(waits && { retryAfterSeconds }),
  });
}
