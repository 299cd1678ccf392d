import Fastify, { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { newId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { Route } from './define-route.ts';
import { answerError } from './errors.ts';
import { acceptJsonBodies } from './json-body.ts';
import { type MountOptions, mountRoutes } from './mount.ts';
import { notFoundOrPage, type WebPages } from './web-pages.ts';

export interface HttpOptions extends MountOptions {
  routes: Route[];
  log: Log;
  trustedProxies: string[];
  pages: WebPages;
  isUnavailable: (error: unknown) => boolean;
}

/** The HTTP server: limits, headers, errors and the table of routes. It does not listen yet. */
export function createServer(options: HttpOptions): FastifyInstance {
  const onError = answerError(options.isUnavailable);
  const app = Fastify({
    loggerInstance: options.log,
    // Requests are logged by logRequest below.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => newId('req'),
    trustProxy: options.trustedProxies.length ? options.trustedProxies : false,
    requestTimeout: 60_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    frameworkErrors: onError,
    clientErrorHandler: answerBrokenRequest,
  }) as unknown as FastifyInstance;
  app.setErrorHandler(onError);
  app.setNotFoundHandler((request, reply) => notFoundOrPage(options.pages, request, reply));
  app.addHook('onRequest', setHeaders);
  app.addHook('onResponse', logRequest);
  acceptJsonBodies(app);
  mountRoutes(app, options.routes, options);
  return app;
}

// Pages and scripts come from us alone; styles may be inline because Radix positions with them.
const contentPolicy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'";

async function setHeaders(request: FastifyRequest, reply: FastifyReply) {
  reply.headers({
    'x-request-id': request.id,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy': contentPolicy,
    'cache-control': 'no-store',
  });
}

/** The path without its query: what people put there does not belong into a log. */
async function logRequest(request: FastifyRequest, reply: FastifyReply) {
  const failed = reply.statusCode >= 500;
  const level = failed ? 'error' : request.method === 'GET' ? 'debug' : 'info';
  if (!(request.log as Log).isLevelEnabled(level)) return;
  const caller = request.signedIn;
  request.log[level](
    {
      method: request.method,
      path: request.url.split('?', 1)[0],
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ip: request.ip,
      ...(caller && { user: caller.userId, organization: caller.organization?.id }),
    },
    'request',
  );
}

/** What node's parser refuses never becomes a request; it is answered on the socket in the same form. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: import('node:net').Socket) {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request';
  const body = JSON.stringify(new AppError('bad_request', 'the request is not valid HTTP').body());
  socket.end(`HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);
}
