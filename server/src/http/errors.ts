import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { discardUnreadBody } from './unread-body.ts';

/** Returns the unavailable dependency that an error means, such as `the database`; undefined for other errors. */
export type FindUnavailable = (error: unknown) => string | undefined;

/** Converts an error to a response. Internal details go to the log only. */
export function answerError(awayOf: FindUnavailable) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const error = thrown instanceof AppError ? thrown : translate(thrown as FastifyError, awayOf, request);
    if (error.status >= 500) logFailure(error, thrown, request);
    if (error.extra.retryAfterSeconds) reply.header('retry-after', error.extra.retryAfterSeconds);
    if (error.status === 401) reply.header('www-authenticate', 'Bearer realm="mooring"');
    for (const header of ['content-length', 'content-encoding', 'etag']) reply.removeHeader(header);
    discardUnreadBody(request, reply);
    return reply.code(error.status).type('application/json; charset=utf-8').send(error.body());
  };
}

/** A known error, such as a server that refuses the sign-in, is no bug: its reason says more than a stack. */
function logFailure(error: AppError, thrown: unknown, { id: reqId, log }: FastifyRequest): void {
  const { message, extra } = error;
  if (thrown === error)
    log.warn({ reqId }, `request failed: ${extra.message ? `${message}: ${extra.message}` : message}`);
  else log.error({ reqId, err: thrown }, 'request failed');
}

function translate(error: FastifyError, awayOf: FindUnavailable, request: FastifyRequest): AppError {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new AppError('too_large', 'the body is too large');
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new AppError('unsupported_media_type', 'send application/json');
  if (error.statusCode && error.statusCode < 500) return new AppError('bad_request', 'the request is not valid');
  const away = awayOf(error);
  if (away)
    return new AppError('unavailable', `${away} does not respond; try again in a moment`, { retryAfterSeconds: 2 });
  return new AppError('internal', `an internal error occurred; see the log of Mooring for request ${request.id}`);
}
