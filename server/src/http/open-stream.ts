import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import type { SignedIn } from './caller.ts';
import type { Route } from './define-route.ts';
import type { EventStream, EventStreams } from './sse.ts';
import { signInAgain, type StandingOptions } from './standing.ts';

export type Again = (caller: SignedIn) => Promise<unknown>;

const standingMs = 15_000;

/** A stream may be open for hours. Who loses what let them in loses it too, and is told why on coming back. */
export function openStream(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: StandingOptions & { streams: EventStreams },
  again: Again,
): EventStream {
  reply.hijack();
  const stream = options.streams.open(reply.raw, reply.getHeaders() as Record<string, string>);
  const look = async () => {
    if (!request.signedIn) return;
    await signInAgain(route, request, options);
    await again(request.signedIn);
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => {
      // The database is away for a moment: that is no reason to send everybody off.
      if (error instanceof AppError && error.status < 500) stream.end();
      else request.log.warn({ reqId: request.id, err: error }, 'who follows a stream cannot be looked up');
    });
  }, standingMs).unref();
  stream.closed.addEventListener('abort', () => clearInterval(timer), { once: true });
  return stream;
}
