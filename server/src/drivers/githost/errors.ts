/** What came of a call to the host, as a word for programs. */
export type GitHostCode =
  | 'not_found'
  | 'unauthorized'
  | 'forbidden'
  | 'rate_limited'
  | 'unavailable'
  | 'conflict'
  | 'invalid';

type Details = ErrorOptions & {
  /** When it is worth another try, in milliseconds since 1970. */
  retryAt?: number;
};

/** Why the host did not do what it was asked to, in a sentence for a person. It holds no token. */
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

/** Whether it is one of these. */
export const isGitHostError = (error: unknown, ...codes: GitHostCode[]): error is GitHostError =>
  error instanceof GitHostError && (!codes.length || codes.includes(error.code));
