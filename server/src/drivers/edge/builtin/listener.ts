import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type RequestHandler, type ClientTimeouts, defaultTimeouts } from './request-handler.ts';
import { CountedResponse } from './counted-response.ts';
import { readExchange, responseOn } from './exchange.ts';

/** Serves HTTP/1, on its own port or on an inherited socket. */
export interface HttpListener {
  server: Server<typeof IncomingMessage, typeof CountedResponse>;
  /** Stops accepting connections. Open ones are closed with their next response. */
  stopAccepting(): void;
}

export function createListener(
  answer: RequestHandler,
  patience: ClientTimeouts = defaultTimeouts,
  admit: (socket: Socket) => boolean = () => true,
): HttpListener {
  let leaving = false;
  const serve = (request: IncomingMessage, response: CountedResponse, upgrade: Upgrade = null) => {
    if (leaving) response.shouldKeepAlive = false;
    if (!upgrade) (request.socket as WatchedSocket).latest = response;
    answer(request, response, readExchange(request, response, upgrade));
  };
  const server = createServer(
    {
      ServerResponse: CountedResponse,
      maxHeaderSize: 32_768,
      headersTimeout: patience.headersMs,
      // Uploads take as long as they need; `watchForStuckClient` catches stalled ones.
      requestTimeout: 0,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: patience.headersMs / 4,
      insecureHTTPParser: false,
      // Spares the streams of requests without a body.
      optimizeEmptyRequests: true,
      // Ignores HTTP/2 upgrade offers, as the RFC allows, and answers over HTTP/1.
      shouldUpgradeCallback: ({ method, headers }) => method === 'GET' && !/\bh2c?\b/i.test(headers.upgrade ?? ''),
    },
    serve,
  );
  // Node silently drops headers above this count; the total size is limited already.
  server.maxHeadersCount = 0;
  server.setTimeout(patience.stuckMs, onQuiet);
  server.on('checkContinue', serve);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    (socket as WatchedSocket).latest = undefined;
    // A client that does not read the response of an app that refuses to upgrade.
    (socket as Socket).setTimeout(patience.stuckMs, () => socket.writableLength > 0 && socket.destroy());
    serve(request, responseOn(request, socket) as CountedResponse, { socket, head });
  });
  server.on('clientError', refuse);
  server.prependListener('connection', (socket: Socket & { encrypted?: boolean }) => {
    // TLS connections are counted before their handshake.
    if (socket.encrypted || admit(socket)) return;
    socket.write('HTTP/1.1 429 Too Many Requests\r\nRetry-After: 2\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    socket.destroy();
  });
  server.on('connect', (_request, socket: Duplex) => refuse(new Error('CONNECT is not supported'), socket));
  return {
    server,
    stopAccepting() {
      leaving = true;
      // Not the HTTP server's own close: that cuts idle connections on which a request may be arriving.
      NetServer.prototype.close.call(server);
    },
  };
}

type Upgrade = { socket: Duplex; head: Buffer } | null;

/** A connection and the response to its latest request. */
type WatchedSocket = Socket & { latest?: ServerResponse | undefined };

/** No bytes have moved for a while. Cuts a client that stalls its body or does not read the response, and idle
 * connections; leaves quiet streams alone. */
function onQuiet(socket: WatchedSocket): void {
  const { latest } = socket;
  // Node's own timeout is for connections without a request.
  if (!latest) return;
  const { req: request } = latest;
  const owesBody = !request.complete && !request.isPaused();
  if (latest.writableFinished || owesBody || socket.writableLength > 0) socket.destroy();
}

const statusOf: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const status = statusOf[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}
