import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import type { Caller } from './caller.ts';
import type { Route } from './define-route.ts';
import { UnreadableBody } from './json-body.ts';
import { openStream } from './open-stream.ts';
import type { EventStream, EventStreams } from './sse.ts';
import type { StandingOptions } from './standing.ts';

/** What a route is about is not known here: it may live elsewhere. Of what is known here nobody else is asked. */
export class NotHereError extends AppError {
  constructor(what: string) {
    super('not_found', `${what} not found`);
  }
}

/** A request about something that may live on another instance. */
export interface ForeignRequest {
  route: Route;
  caller: Caller;
  id: string;
  /** With its query. */
  path: string;
  body: unknown;
  lastEventId: string | undefined;
  /** Whoever asks is gone. */
  signal: AbortSignal;
}

/** What the other instance answers, as far as it is passed on. */
export interface ForeignAnswer {
  status: number;
  headers: Record<string, string>;
  body: Readable;
}

/** Things of an organization that live on another instance. */
export interface Elsewhere {
  /** The answer of whoever has it; undefined when it is not known there either. Throws what keeps the caller from it. */
  ask(request: ForeignRequest): Promise<ForeignAnswer | undefined>;
  /** Throws when the caller may not have it any more. */
  requireMay(request: Pick<ForeignRequest, 'route' | 'caller' | 'id'>): Promise<void>;
}

type Options = StandingOptions & { streams: EventStreams; elsewhere?: Elsewhere | undefined };

/** Every route about one deployment may be about one that lives elsewhere; also those that are added later. */
export const isForwarded = ({ path, permission }: Pick<Route, 'path' | 'permission'>): boolean =>
  /^\/api\/deployments\/:id(\/|$)/.test(path) && permission.startsWith('deployment:');

/** Answers what is not known here from where it lives. False when `error`, which was found here, is the answer. */
export async function answerElsewhere(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: Options,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof NotHereError) || !options.elsewhere || !isForwarded(route) || reply.sent) return false;
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const asked = foreignRequest(route, request, gone.signal);
  if (asked.body instanceof UnreadableBody) {
    await options.elsewhere.requireMay(asked);
    throw asked.body.error;
  }
  const answer = await options.elsewhere.ask(asked);
  if (!answer) return false;
  const { status, headers, body } = answer;
  if (!route.streams || status !== 200) {
    // What has no content has no body either.
    await reply
      .code(status)
      .headers(headers)
      .send(status === 204 ? undefined : body);
    return true;
  }
  const again = (caller: Caller) => options.elsewhere!.requireMay({ ...asked, caller });
  await pipe(
    body,
    openStream(route, request, reply, options, (now) => again(now as Caller)),
  );
  return true;
}

function foreignRequest(route: Route, request: FastifyRequest, signal: AbortSignal): ForeignRequest {
  const hasBody = route.method !== 'GET' && route.method !== 'DELETE';
  return {
    route,
    caller: request.signedIn as Caller,
    id: (request.params as { id: string }).id,
    path: pathOf(route, request),
    body: hasBody ? (request.body ?? {}) : undefined,
    lastEventId: request.headers['last-event-id']?.toString(),
    signal,
  };
}

/** Made anew from what was understood of it: nothing that somebody wrote goes into another request as it is. */
function pathOf({ path }: Route, request: FastifyRequest): string {
  const params = request.params as Record<string, string>;
  const { search } = new URL(request.url, 'http://here');
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name]!)) + search;
}

const longestEvent = 4 << 20;

/** At the reader's own pace. One that ends in the middle ends here too: whoever follows resumes by the last id. Only whole
 * events are passed on, because signs of life of our own go in between. */
export async function pipe(from: Readable, to: EventStream): Promise<void> {
  to.closed.addEventListener('abort', () => from.destroy(), { once: true });
  let [begun, last] = ['', ''];
  try {
    for await (const text of from.setEncoding('utf8') as AsyncIterable<string>) {
      // Looked for in what is new alone: one that comes letter by letter costs no more than another.
      const end = (last + text).lastIndexOf('\n\n') + 2 - last.length;
      const isWhole = end + last.length > 1;
      if (isWhole) await to.deliver(begun + text.slice(0, end));
      begun = isWhole ? text.slice(end) : begun + text;
      last = isWhole && !begun ? '' : text.slice(-1);
      if (begun.length > longestEvent) throw new Error('an event from elsewhere has no end');
    }
  } catch (error) {
    // Whoever listened has left, which is how most of them end.
    if (!to.closed.aborted) throw error;
  } finally {
    to.end();
  }
}
