import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { credentialOf, signIn } from './authenticate.ts';
import { addressGroup } from '../lib/addresses.ts';
import type { SignedIn } from './caller.ts';
import type { Route } from './define-route.ts';
import { answerElsewhere, type Elsewhere } from './elsewhere.ts';
import { parseInput, refuseNul } from './input.ts';
import { UnreadableBody } from './json-body.ts';
import { RequestLimit } from './limits.ts';
import { type TargetLookups, requireTarget } from './target-lookup.ts';
import { type Again, openStream } from './open-stream.ts';
import { refuseCredentialsInQuery } from './query-credentials.ts';
import { requireSameOrigin } from './same-origin.ts';
import { endedSessionCookie, sessionCookie } from './session-cookie.ts';
import type { EventStreams } from './sse.ts';
import { isSecure, requireStanding, signInAgain, type StandingOptions } from './standing.ts';
import { expectBody } from './unread-body.ts';

declare module 'fastify' {
  interface FastifyRequest {
    signedIn: SignedIn | null;
  }
}

export interface MountOptions extends StandingOptions {
  streams: EventStreams;
  mode: 'self-hosted' | 'cloud';
  sessionDays: number;
  requestLimit: number;
  anonymousRequestLimit: number;
  /** Forwards requests for resources unknown here. */
  elsewhere?: Elsewhere | undefined;
  lookUps?: TargetLookups;
}

/** Mounts the route table. A route without a permission prevents the start. */
export function mountRoutes(app: FastifyInstance, routes: Route[], options: MountOptions): void {
  const guard = createGuard(options);
  app.decorateRequest('signedIn', null);
  const mount = (scope: FastifyInstance, route: Route) =>
    scope.route({
      method: route.method,
      url: route.path,
      bodyLimit: route.bodyLimit ?? 1_000_000,
      onRequest: (request) => guard(route, request),
      handler: (request, reply) => answerFromAnywhere(route, request, reply, options),
    });
  for (const route of routes) {
    if (!route.permission) throw new Error(`${route.method} ${route.path} declares no permission`);
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

const bodyDeadlineMs = 60_000;

/** Runs all checks that precede reading the body. */
function createGuard(options: MountOptions) {
  const ofCallers = new RequestLimit(options.requestLimit);
  const ofStrangers = new RequestLimit(options.anonymousRequestLimit);
  return async (route: Route, request: FastifyRequest): Promise<void> => {
    // Large uploads have their own limits.
    if (route.method !== 'GET' && !route.rawBody) expectBody(request.raw, bodyDeadlineMs);
    refuseCredentialsInQuery(request.query);
    refuseNul(request.params);
    refuseNul(request.query);
    // A public route does not authenticate: it works while the database is down, and a stale cookie does no harm.
    const credential = route.permission === 'public' ? null : credentialOf(request, isSecure(request, options));
    if (credential?.type !== 'token') requireSameOrigin(request, options.publicUrl);
    request.signedIn = credential && (await signIn(options.authenticator, credential, request));
    if (request.signedIn) ofCallers.take(keyOf(request.signedIn));
    else if (!route.ownLimit) ofStrangers.take(addressGroup(request.ip));
    requireStanding(route, request, credential);
  };
}

/** A body may have been held back for a minute, in which its sender lost access: authenticate again before acting. */
async function lookAgain(route: Route, request: FastifyRequest, options: MountOptions): Promise<void> {
  if (route.method !== 'GET' && request.signedIn) await signInAgain(route, request, options);
}

const keyOf = ({ via, userId }: SignedIn) => (via.type === 'token' ? via.id : userId);

/** Serves local resources directly; unknown ones may live on another instance. */
async function answerFromAnywhere(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: MountOptions,
): Promise<unknown> {
  try {
    return await answer(route, request, reply, options);
  } catch (error) {
    if (await answerElsewhere(route, request, reply, options, error)) return reply;
    throw error;
  }
}

async function answer(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: MountOptions,
): Promise<unknown> {
  await lookAgain(route, request, options);
  let status: number = route.status ?? 200;
  const input = {
    caller: request.signedIn,
    params: parseInput(route.params, request.params),
    ...(await checkedInput(route, request, options)),
    ip: request.ip,
    userAgent: (request.headers['user-agent'] ?? '').slice(0, 200),
    headers: request.headers,
    origin: `${request.protocol}://${request.host}`,
    isSecure: isSecure(request, options),
    reply: {
      status: (code: number) => (status = code),
      header: (name: string, value: string) => reply.header(name, value),
    },
    raw: request.raw,
    session: sessionOf(request, reply, options),
    stream: (again: Again) => openStream(route, request, reply, options, again),
    noContent: () => void reply.code(204).send(),
  };
  if (route.streams) return answerByStream(route, input as HandlerInput, request, reply);
  const result = await route.handle(input as HandlerInput);
  const checked = route.output.safeParse(result);
  if (!checked.success)
    throw new Error(
      `${route.method} ${route.path} sent a response that does not match its schema: ${checked.error.message}`,
    );
  if (route.contentType) reply.type(route.contentType);
  return reply.code(status).send(checked.data);
}

/** Validation errors are only reported for a resource that the caller may know about. */
async function checkedInput(route: Route, request: FastifyRequest, { lookUps = {} }: MountOptions) {
  const { query, body } = request;
  try {
    if (body instanceof UnreadableBody) throw body.error;
    return {
      query: parseInput(route.query, query),
      body: route.rawBody ? undefined : parseInput(route.body, body ?? {}),
    };
  } catch (error) {
    await requireTarget(route, request, lookUps);
    throw error;
  }
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

function sessionOf(request: FastifyRequest, reply: FastifyReply, options: MountOptions) {
  const secure = isSecure(request, options);
  return {
    start: (secret: string) =>
      void reply.header('set-cookie', sessionCookie(secret, options.sessionDays * 86_400, secure)),
    end: () => void reply.header('set-cookie', endedSessionCookie(secure)),
  };
}
