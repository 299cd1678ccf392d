/** Why there is no certificate, as a word for programs. */
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
  /** When it is worth another try, in milliseconds since 1970. */
  retryAt?: number | undefined;
};

/** Why a certificate was not issued, in a sentence for a person, with what to do about it. It holds no key. */
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
