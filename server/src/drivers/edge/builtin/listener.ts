import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type RequestHandler, type ClientTimeouts, defaultTimeouts } from './answer.ts';
import { CountedResponse } from './counted-response.ts';
import { readExchange, responseOn } from './exchange.ts';

/** Takes requests in HTTP/1. Whether it listens by itself or on a handed-over socket is not its business. */
export interface HttpListener {
  server: Server<typeof IncomingMessage, typeof CountedResponse>;
  /** Accepts no new connections. Those that are open are told to go with their next answer. */
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
    if (!upgrade) watchForStuckClient(request, response, patience.stuckMs);
    answer(request, response, readExchange(request, response, upgrade));
  };
  const server = createServer(
    {
      ServerResponse: CountedResponse,
      maxHeaderSize: 32_768,
      headersTimeout: patience.headersMs,
      // Uploads take as long as they take; who stops sending is found by the watch for stuck clients.
      requestTimeout: 0,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: patience.headersMs / 4,
      insecureHTTPParser: false,
      // Offers of HTTP/2 are ignored, as they may be; the request is answered as it is.
      shouldUpgradeCallback: ({ method, headers }) => method === 'GET' && !/\bh2c?\b/i.test(headers.upgrade ?? ''),
    },
    serve,
  );
  // More than this would be dropped without a word; the size of all headers is limited already.
  server.maxHeadersCount = 0;
  server.on('checkContinue', serve);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    serve(request, responseOn(request, socket) as CountedResponse, { socket, head });
  });
  server.on('clientError', refuse);
  server.prependListener('connection', (socket: Socket & { encrypted?: boolean }) => {
    // Those of TLS were counted before their handshake.
    if (socket.encrypted || admit(socket)) return;
    socket.write('HTTP/1.1 429 Too Many Requests\r\nRetry-After: 2\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    socket.destroy();
  });
  server.on('connect', (_request, socket: Duplex) => refuse(new Error('CONNECT is not for us'), socket));
  return {
    server,
    stopAccepting() {
      leaving = true;
      // Not the close of the HTTP server: that cuts idle connections on which a request may be on its way.
      NetServer.prototype.close.call(server);
    },
  };
}

type Upgrade = { socket: Duplex; head: Buffer } | null;

/** Who neither sends the rest of a request nor takes what we have for them is cut; a quiet stream is left alone. */
function watchForStuckClient(request: IncomingMessage, response: ServerResponse, stuckMs: number): void {
  // Of the response, not of the request: Node cuts the connection when nobody listens there.
  response.setTimeout(stuckMs, () => {
    const owesBody = !request.complete && !request.isPaused();
    const { socket } = response;
    if (owesBody || (socket && socket.writableLength > 0)) request.socket.destroy();
  });
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
