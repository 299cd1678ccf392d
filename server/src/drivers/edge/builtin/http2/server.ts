import { constants, createServer, type Http2Server as Server, type ServerHttp2Session } from 'node:http2';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { RequestHandler, ClientTimeouts } from '../request-handler.ts';
import type { EdgeResponse } from '../counted-response.ts';
import { type Visitor, visitorOn } from '../exchange.ts';
import { readStream } from './read-stream.ts';
import { StreamRequest } from './request.ts';
import { StreamResponse } from './response.ts';
import { mostHeadBytes } from '../upstream/response-parser.ts';
import { Http2Sessions } from './sessions.ts';

/** Limits per connection. nghttp2 closes connections that flood us with control frames. */
const limits = {
  settings: { maxConcurrentStreams: 128, maxHeaderListSize: 32_768, initialWindowSize: 262_144, enablePush: false },
  maxHeaderListPairs: 1000,
  // Room for every response head that the edge accepts; a larger one would close the connection of all streams.
  maxSendHeaderBlockLength: 4 * mostHeadBytes,
  // Fields that apps send twice are forwarded twice, as in HTTP/1.
  strictSingleValueFields: false,
  maxSessionMemory: 10,
  maxSettings: 32,
  maxOutstandingPings: 10,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  // Rapid reset: the burst, then the rate per second, of streams opened only to be reset.
  streamResetBurst: 200,
  streamResetRate: 20,
};
const sessionWindow = 1_048_576;

/** Serves HTTP/2 on established TLS connections. */
export class Http2Server {
  readonly #server: Server;
  readonly #sessions: Http2Sessions;

  constructor(answer: RequestHandler, patience: ClientTimeouts) {
    this.#sessions = new Http2Sessions(patience.headersMs);
    const visitors = new WeakMap<ServerHttp2Session, Visitor>();
    this.#server = createServer(limits as object);
    this.#server.on('stream', (stream, headers, _flags, rawHeaders) => {
      // 'close' follows.
      stream.on('error', () => {});
      const { session } = stream;
      const visitor = session && visitors.get(session as ServerHttp2Session);
      // The stream was reset before its turn.
      if (!visitor) return;
      const [request, response] = [new StreamRequest(stream, headers, rawHeaders), new StreamResponse(stream)];
      watchForStuckClient(request, patience.stuckMs);
      const exchange = readStream(request, response, visitor);
      // These classes provide every member that the edge uses of the HTTP/1 types.
      answer(request as unknown as IncomingMessage, response as unknown as EdgeResponse, exchange);
    });
    this.#server.on('session', (session) => {
      visitors.set(session, visitorOn(session.socket as TLSSocket));
      session.setLocalWindowSize(sessionWindow);
      this.#sessions.add(session);
    });
  }

  take(socket: TLSSocket): void {
    this.#server.emit('connection', socket);
  }

  /** Sends GOAWAY to each client when it has no open streams; after `withinMs` to all others. */
  leave(withinMs: number): void {
    this.#sessions.leave(withinMs);
  }
}

/** As in HTTP/1: cuts a client that stalls its body or does not read the response; leaves quiet streams alone. */
function watchForStuckClient(request: StreamRequest, stuckMs: number): void {
  const { stream } = request;
  stream.setTimeout(stuckMs);
  stream.on('timeout', () => {
    const owesBody = !stream.endAfterHeaders && !request.complete && !request.isPaused();
    if (owesBody || stream.writableLength > 0) stream.close(constants.NGHTTP2_CANCEL);
  });
}
