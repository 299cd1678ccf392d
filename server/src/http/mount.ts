import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AnswerCache, type DataVersion } from './answer-cache.ts';
import type { SignedIn } from './caller.ts';
import { compileOutput } from './copy-output.ts';
import type { Route } from './define-route.ts';
import { forwardRequest, type RemoteInstance } from './forwarding.ts';
import { createGuard, type GuardOptions } from './guard.ts';
import { parseInput } from './input.ts';
import { UnreadableBody } from './json-body.ts';
import { RouteInput } from './route-input.ts';
import type { EventStreams } from './sse.ts';
import { authenticateAgain } from './access-check.ts';
import { type TargetLookups, requireTarget } from './target-lookup.ts';

declare module 'fastify' {
  interface FastifyRequest {
    signedIn: SignedIn | null;
  }
}

export interface MountOptions extends GuardOptions {
  streams: EventStreams;
  dataVersion: DataVersion;
  mode: 'self-hosted' | 'cloud';
  sessionDays: number;
  /** Forwards requests for resources unknown here. */
  elsewhere?: RemoteInstance | undefined;
  lookUps?: TargetLookups;
}

type Mounted = MountOptions & { cache: AnswerCache };

/** Mounts the route table. A route without a permission prevents the start. */
export function mountRoutes(app: FastifyInstance, routes: Route[], options: MountOptions): void {
  const guard = createGuard(options);
  const mounted = { ...options, cache: new AnswerCache(options.dataVersion) };
  app.decorateRequest('signedIn', null);
  const mount = (scope: FastifyInstance, route: Route) =>
    scope.route({
      method: route.method,
      url: route.path,
      bodyLimit: route.bodyLimit ?? 1_000_000,
      onRequest: (request, reply, done) =>
        guard(route, request, (error) => {
          const known = route.cached && !error ? mounted.cache.find(request) : undefined;
          if (known === undefined) done(error);
          else sendText(route, reply, known);
        }),
      handler: (request, reply) => answerFromAnywhere(route, request, reply, mounted),
    });
  for (const route of routes) {
    if (!route.permission) throw new Error(`${route.method} ${route.path} declares no permission`);
    if (route.cached && (route.method !== 'GET' || route.permission === 'public'))
      throw new Error(`${route.method} ${route.path} cannot be cached`);
    if (route.mode && route.mode !== options.mode) continue;
    if (route.rawBody) app.register(async (scope) => void mount(withRawBodies(scope), route));
    else mount(app, route);
  }
}

function withRawBodies(scope: FastifyInstance): FastifyInstance {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  return scope;
}

/** Serves local resources directly; unknown ones may live on another instance. */
async function answerFromAnywhere(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: Mounted,
): Promise<unknown> {
  try {
    return await answer(route, request, reply, options);
  } catch (error) {
    if (await forwardRequest(route, request, reply, options, error)) return reply;
    throw error;
  }
}

async function answer(route: Route, request: FastifyRequest, reply: FastifyReply, options: Mounted): Promise<unknown> {
  if (route.streams) await options.streams.turn();
  // A body may have been held back for a minute, in which its sender lost access; a stream may have waited, too.
  if ((route.method !== 'GET' || route.streams) && request.signedIn) await authenticateAgain(route, request, options);
  const input = new RouteInput(route, request, reply, options);
  input.params = parseInput(route.params, request.params);
  try {
    readInput(input, route, request);
  } catch (error) {
    // Validation errors are only reported for a resource that the caller may know about.
    await requireTarget(route, request, options.lookUps ?? {});
    throw error;
  }
  if (route.streams) return answerByStream(route, input as HandlerInput, request, reply);
  const version = route.cached ? options.cache.version() : undefined;
  const data = copyOutput(route, await route.handle(input as HandlerInput));
  const text = route.contentType ? (data as string) : JSON.stringify(data);
  options.cache.keep(request, version, text);
  return sendText(route, reply.code(input.statusCode), text);
}

const sendText = ({ contentType = 'application/json; charset=utf-8' }: Route, reply: FastifyReply, text: string) =>
  reply.header('content-type', contentType).send(text);

const copiers = new WeakMap<Route, (value: unknown) => unknown>();

function copyOutput(route: Route, result: unknown): unknown {
  let copy = copiers.get(route);
  if (!copy) copiers.set(route, (copy = compileOutput(route.output)));
  try {
    return copy(result);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`${route.method} ${route.path} sent a response that does not match its schema: ${message}`, {
      cause: error,
    });
  }
}

function readInput(input: RouteInput, route: Route, { query, body }: FastifyRequest): void {
  if (body instanceof UnreadableBody) throw body.error;
  input.query = parseInput(route.query, query);
  input.body = route.rawBody ? undefined : parseInput(route.body, body ?? {});
}

type HandlerInput = Parameters<Route['handle']>[0];

/** Once the stream is open an error cannot be sent; the client reconnects and gets it then. */
async function answerByStream(route: Route, input: HandlerInput, request: FastifyRequest, reply: FastifyReply) {
  try {
    await route.handle(input);
  } catch (error) {
    if (!reply.sent) throw error;
    request.log.error({ reqId: request.id, err: error }, 'a stream was cut off');
    reply.raw.destroy();
  }
  return reply;
}
