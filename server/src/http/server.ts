import type { Socket } from 'node:net';
import Fastify, { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { newId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { Route } from './define-route.ts';
import { edgeAddress, redirectPlain } from './edge-socket.ts';
import { answerError, type FindUnavailable } from './errors.ts';
import { acceptJsonBodies } from './json-body.ts';
import { type MountOptions, mountRoutes } from './mount.ts';
import { endUnanswered } from './unread-body.ts';
import { notFoundOrPage, type WebPages } from './web-pages.ts';

export interface HttpOptions extends MountOptions {
  routes: Route[];
  log: Log;
  trustedProxies: string[];
  pages: WebPages;
  awayOf: FindUnavailable;
  /** Whether the service is about to stop: clients and balancers then open new connections elsewhere. */
  isDraining?: () => boolean;
}

/** Creates the HTTP server: limits, headers, errors and the route table. Does not listen yet. */
export function createServer(options: HttpOptions): FastifyInstance {
  const onError = answerError(options.awayOf);
  const { dashboard, publicUrl = '' } = options;
  const trusted = [...options.trustedProxies, ...(dashboard ? [edgeAddress] : [])];
  const app = Fastify({
    loggerInstance: withoutChildren(options.log),
    // Requests are logged by logRequest below.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIds(),
    trustProxy: trusted.length ? trusted : false,
    // For the largest upload; bodies of other routes have their own deadline.
    requestTimeout: 1_800_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    // Our routes have their own schemas; Fastify would load two compilers for its own.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    // A domain name has up to 253 characters.
    routerOptions: { maxParamLength: 300 },
    frameworkErrors: (error, request, reply) => void onError(error, request, reply),
    clientErrorHandler: answerBrokenRequest,
  }) as unknown as FastifyInstance;
  app.setErrorHandler(onError);
  app.setNotFoundHandler((request, reply) => notFoundOrPage(options.pages, request, reply));
  app.addHook('onRequest', (request, reply, next) => {
    setHeaders(request, reply);
    if (options.isDraining?.()) reply.header('connection', 'close');
    next();
  });
  if (dashboard) app.addHook('onRequest', redirectPlain(dashboard, publicUrl));
  app.addHook('onResponse', logRequest);
  acceptJsonBodies(app);
  mountRoutes(app, options.routes, options);
  return app;
}

/** The id is added when something is logged; a child logger per request costs more than the request itself. */
function withoutChildren(log: Log): Log {
  const single: Log = Object.create(log, { child: { value: () => single } });
  return single;
}

const noSchemas = (): never => {
  throw new Error('routes have no schemas of Fastify');
};

// Pages and scripts are self-hosted only; inline styles are needed by Radix.
const contentPolicy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'";

function setHeaders(request: FastifyRequest, reply: FastifyReply) {
  reply.headers({
    'x-request-id': request.id,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy': contentPolicy,
    'cache-control': 'no-store',
  });
}

/** Unique without randomness per request: a process prefix and a counter. */
function requestIds(): () => string {
  const process = newId('req');
  let count = 0;
  return () => `${process}${(count++).toString(36).padStart(4, '0')}`;
}

/** Without the query, which may contain private data. */
function logRequest(request: FastifyRequest, reply: FastifyReply, next: () => void) {
  const level = reply.statusCode >= 500 ? 'error' : request.method === 'GET' ? 'debug' : 'info';
  if ((request.log as Log).isLevelEnabled(level)) request.log[level](factsOf(request, reply), 'request');
  next();
}

function factsOf(request: FastifyRequest, reply: FastifyReply) {
  const { signedIn } = request;
  return {
    reqId: request.id,
    method: request.method,
    path: request.url.split('?', 1)[0],
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    ip: request.ip,
    ...(signedIn && { user: signedIn.userId, organization: signedIn.organization?.id }),
  };
}

const brokenRequestStatus: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** Requests that Node's parser rejects are answered on the socket in the same format. */
function answerBrokenRequest({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    endUnanswered(socket, '408 Request Timeout', 'request_timeout', 'the request did not arrive in time');
  else
    endUnanswered(
      socket,
      brokenRequestStatus[code] ?? '400 Bad Request',
      'bad_request',
      'the request is not valid HTTP',
    );
}
