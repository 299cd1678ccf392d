import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import type { SignedIn } from './caller.ts';
import type { Route } from './define-route.ts';
import type { EventStream, EventStreams } from './sse.ts';
import { authenticateAgain, type AccessCheckOptions } from './access-check.ts';

export type RecheckAccess = (caller: SignedIn) => Promise<unknown>;

const standingMs = 15_000;
/** Clients that came together, as after a restart, are not all checked at the same moment. */
const nextStandingMs = () => standingMs * (0.7 + 0.3 * Math.random());

/** Opens a stream. It may stay open for hours, so the caller's access is checked periodically; the reason for losing
 * it is reported on reconnect. */
export function openStream(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: AccessCheckOptions & { streams: EventStreams },
  again: RecheckAccess,
): EventStream {
  // A stream to a client that is gone since its request would never end.
  if (reply.raw.destroyed) throw new AppError('bad_request', 'the client is gone');
  reply.hijack();
  const stream = options.streams.open(reply.raw, reply.getHeaders() as Record<string, string>);
  const look = async () => {
    if (!request.signedIn) return;
    await authenticateAgain(route, request, options);
    await again(request.signedIn);
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => {
      // A short outage of the database is no reason to disconnect everyone.
      if (error instanceof AppError && error.status < 500) stream.end();
      else request.log.warn({ reqId: request.id, err: error }, 'the viewer of a stream cannot be authenticated again');
    });
  }, nextStandingMs()).unref();
  stream.closed.addEventListener('abort', () => clearInterval(timer), { once: true });
  return stream;
}
