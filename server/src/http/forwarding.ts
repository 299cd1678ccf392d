import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import type { Caller } from './caller.ts';
import type { Route } from './define-route.ts';
import { UnreadableBody } from './json-body.ts';
import { openStream } from './open-stream.ts';
import type { EventStream, EventStreams } from './sse.ts';
import type { AccessCheckOptions } from './access-check.ts';

/** The resource of a route is not known here: it may live on another instance, which is then asked. */
export class NotLocalError extends AppError {
  constructor(what: string) {
    super('not_found', `${what} not found`);
  }
}

/** A request about a resource that may live on another instance. */
export interface ForwardedRequest {
  route: Route;
  caller: Caller;
  id: string;
  /** Including the query. */
  path: string;
  body: unknown;
  lastEventId: string | undefined;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
}

/** The parts of the other instance's response that are forwarded. */
export interface ForwardedResponse {
  status: number;
  headers: Record<string, string>;
  body: Readable;
}

/** Resources of an organization that live on another instance. */
export interface RemoteInstance {
  /** Forwards a request and returns the response; undefined when the resource is unknown there too. Throws if the
   * caller is not allowed. */
  ask(request: ForwardedRequest): Promise<ForwardedResponse | undefined>;
  /** Throws when the caller no longer has access. */
  requireMay(request: Pick<ForwardedRequest, 'route' | 'caller' | 'id'>): Promise<void>;
}

type Options = AccessCheckOptions & { streams: EventStreams; elsewhere?: RemoteInstance | undefined };

/** Every route about one deployment may concern one that lives elsewhere, including routes added later. */
export const isForwarded = ({ path, permission }: Pick<Route, 'path' | 'permission'>): boolean =>
  /^\/api\/deployments\/:id(\/|$)/.test(path) && permission.startsWith('deployment:');

/** Forwards a request for an unknown resource to the instance where it lives. Returns false if `error` is the
 * response. */
export async function forwardRequest(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: Options,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof NotLocalError) || !options.elsewhere || !isForwarded(route) || reply.sent) return false;
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
    // A 204 has no body.
    await reply
      .code(status)
      .headers(headers)
      .send(status === 204 ? undefined : body);
    return true;
  }
  const again = (caller: Caller) => options.elsewhere!.requireMay({ ...asked, caller });
  await pipeEvents(
    body,
    openStream(route, request, reply, options, (now) => again(now as Caller)),
  );
  return true;
}

function foreignRequest(route: Route, request: FastifyRequest, signal: AbortSignal): ForwardedRequest {
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

/** Built from the parsed request, so that no user input is copied verbatim into another request. */
function pathOf({ path }: Route, request: FastifyRequest): string {
  const params = request.params as Record<string, string>;
  const { search } = new URL(request.url, 'http://here');
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name]!)) + search;
}

const longestEvent = 4 << 20;

/** Forwards events with backpressure. A stream that breaks off ends here too: the client resumes with the last id.
 * Only whole events are forwarded, because our own heartbeats go in between. */
export async function pipeEvents(from: Readable, to: EventStream): Promise<void> {
  to.closed.addEventListener('abort', () => from.destroy(), { once: true });
  let [begun, last] = ['', ''];
  try {
    for await (const text of from.setEncoding('utf8') as AsyncIterable<string>) {
      // Searches only the new text, so that tiny chunks cost no more than large ones.
      const end = (last + text).lastIndexOf('\n\n') + 2 - last.length;
      const isWhole = end + last.length > 1;
      if (isWhole) await to.deliver(begun + text.slice(0, end));
      begun = isWhole ? text.slice(end) : begun + text;
      last = isWhole && !begun ? '' : text.slice(-1);
      if (begun.length > longestEvent) throw new Error('the cloud sent an endless event');
    }
  } catch (error) {
    // The client disconnected, which is how most streams end.
    if (!to.closed.aborted) throw error;
  } finally {
    to.end();
  }
}
