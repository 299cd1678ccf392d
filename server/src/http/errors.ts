import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';

/** Turns whatever was thrown into an answer. What is not meant for the caller goes to the log only. */
export function answerError(isUnavailable: (error: unknown) => boolean) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const error = thrown instanceof AppError ? thrown : translate(thrown as FastifyError, isUnavailable, request);
    if (error.status >= 500) request.log.error({ reqId: request.id, err: thrown }, 'request failed');
    if (error.extra.retryAfterSeconds) reply.header('retry-after', error.extra.retryAfterSeconds);
    if (error.status === 401) reply.header('www-authenticate', 'Bearer realm="mooring"');
    for (const header of ['content-length', 'content-encoding', 'etag']) reply.removeHeader(header);
    return reply.code(error.status).type('application/json; charset=utf-8').send(error.body());
  };
}

function translate(error: FastifyError, isUnavailable: (error: unknown) => boolean, request: FastifyRequest): AppError {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new AppError('too_large', 'the body is too large');
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new AppError('unsupported_media_type', 'send application/json');
  if (error.statusCode && error.statusCode < 500) return new AppError('bad_request', 'the request is not valid');
  if (isUnavailable(error))
    return new AppError('unavailable', 'the database does not answer; try again in a moment', { retryAfterSeconds: 2 });
  return new AppError('internal', `something failed on our side; the log has it under ${request.id}`);
}
