/** Machine-readable reason why there is no certificate. */
export type CertificateCode =
  | 'not_pointing'
  | 'dns'
  | 'connection'
  | 'unauthorized'
  | 'caa'
  | 'rejected_identifier'
  | 'rate_limited'
  | 'account'
  | 'unreachable'
  | 'timeout'
  | 'refused'
  | 'bad_answer'
  | 'internal';

type Details = ErrorOptions & {
  /** When a retry makes sense, in milliseconds since 1970. */
  retryAt?: number | undefined;
};

/** Why a certificate was not issued, as a message for the user with a hint. Contains no key. */
export class CertificateError extends Error {
  override name = 'CertificateError';
  readonly code: CertificateCode;
  readonly hint: string;
  readonly retryAt: number | undefined;

  constructor(code: CertificateCode, message: string, hint: string, { retryAt, ...options }: Details = {}) {
    super(message, options);
    this.code = code;
    this.hint = hint;
    this.retryAt = retryAt;
  }
}

/** Whether it is one of these. */
export const isCertificateError = (error: unknown, ...codes: CertificateCode[]): error is CertificateError =>
  error instanceof CertificateError && (!codes.length || codes.includes(error.code));
