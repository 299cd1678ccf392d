/** Machine-readable reason of a failed call to the git host. */
export type GitHostCode =
  | 'not_found'
  | 'unauthorized'
  | 'forbidden'
  | 'rate_limited'
  | 'unavailable'
  | 'conflict'
  | 'invalid';

type Details = ErrorOptions & {
  /** Earliest time to retry, in milliseconds since 1970. */
  retryAt?: number;
};

/** Failed call to the git host. The message is fit for users and contains no token. */
export class GitHostError extends Error {
  override name = 'GitHostError';
  readonly code: GitHostCode;
  readonly retryAt: number | undefined;

  constructor(code: GitHostCode, message: string, { retryAt, ...options }: Details = {}) {
    super(message, options);
    this.code = code;
    this.retryAt = retryAt;
  }
}

/** Returns whether the error is a GitHostError, with one of `codes` if any are given. */
export const isGitHostError = (error: unknown, ...codes: GitHostCode[]): error is GitHostError =>
  error instanceof GitHostError && (!codes.length || codes.includes(error.code));
