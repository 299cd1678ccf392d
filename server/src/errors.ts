/** HTTP status of each error code. */
const statusOf = {
  bad_request: 400,
  malformed_json: 400,
  credentials_in_query: 400,
  unsupported_media_type: 400,
  unauthenticated: 401,
  forbidden: 403,
  cross_origin: 403,
  not_found: 404,
  conflict: 409,
  server_in_use: 409,
  already_set_up: 409,
  not_allowed_now: 400,
  nothing_to_apply: 400,
  not_trusted: 400,
  decision_pending: 400,
  cloud_not_linked: 400,
  not_connected: 400,
  not_configured: 400,
  certificate_failed: 400,
  local_in_cloud: 403,
  limit_reached: 403,
  request_timeout: 408,
  isolation_required: 403,
  too_large: 413,
  rate_limited: 429,
  internal: 500,
  git_host_unavailable: 502,
  runtime_unavailable: 502,
  cloud_refused: 502,
  unavailable: 503,
  cloud_unreachable: 503,
} as const;

export type ErrorCode = keyof typeof statusOf;
export type FieldError = { field: string; message: string };

type Extra = { message?: string; details?: FieldError[]; retryAfterSeconds?: number; cause?: unknown };

/** Error that is shown to the caller. Any other error becomes an opaque internal error. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly extra: Extra;

  constructor(code: ErrorCode, sentence: string, extra: Extra = {}) {
    super(sentence, { cause: extra.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = statusOf[code];
    this.extra = extra;
  }

  body() {
    const { message, details } = this.extra;
    return {
      success: false as const,
      error: this.message,
      code: this.code,
      ...(message && { message }),
      ...(details && { details }),
    };
  }
}

export const notFound = (what: string) => new AppError('not_found', `${what} not found`);
export const forbidden = (sentence: string) => new AppError('forbidden', sentence);
export const conflict = (sentence: string) => new AppError('conflict', sentence);
/** The request is valid, but the state of its target does not allow it. */
export const notAllowedNow = (sentence: string) => new AppError('not_allowed_now', sentence);
export const badRequest = (sentence: string, field?: string) =>
  new AppError('bad_request', sentence, field ? { details: [{ field, message: sentence }] } : {});

/** Configuration or usage mistake: shown as one line, without a stack. */
export class StartError extends Error {
  override name = 'StartError';
}
