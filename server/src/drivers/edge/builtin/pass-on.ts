import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ClientExchange } from './exchange.ts';
import { type AnswerHead, trailerPairs, readHead } from './headers.ts';

const lingerMs = 2000;
const halfClosedMs = 30_000;

/** Streams an app's response to the client. Resolves when the client has received it or disconnected. */
export function passOnAnswer(
  exchange: ClientExchange,
  answer: IncomingMessage,
  head: AnswerHead,
  upstream: ClientRequest,
): Promise<void> {
  const { request, response, client } = exchange;
  if (client.destroyed) {
    upstream.destroy();
    return Promise.resolve();
  }
  return new Promise((resolve) => {
    exchange.whenClosed = () => {
      if (!answer.complete) upstream.destroy();
      resolve();
    };
    const { headers } = head;
    // Only a response without a length can have trailers.
    const chunked = !head.hasLength && request.httpVersion !== '1.0';
    if (chunked && head.trailer) headers.push('Trailer', head.trailer);
    const end = (rest: Buffer | null) => {
      if (chunked && answer.rawTrailers.length) response.addTrailers(trailerPairs(answer.rawTrailers));
      response.end(rest ?? undefined);
      if (exchange.framing !== 'none' && !request.complete) letGo(exchange, upstream);
    };
    response.writeHead(answer.statusCode!, answer.statusMessage, headers);
    // Most responses arrive in one piece and are sent in one write.
    if (answer.complete) return end(answer.read() as Buffer | null);
    answer.pipe(response, { end: false });
    answer.once('end', () => end(null));
    // Truncated: the client must not take it for complete.
    answer.once('error', () => response.destroy());
    // The first body bytes usually arrive with the headers and leave with them; otherwise flush the headers now.
    setImmediate(() => {
      if (!response.writableEnded && !response.destroyed) response.flushHeaders();
    });
    return undefined;
  });
}

/** The app responded without reading the whole body. Give the client a moment to read the response. */
function letGo(exchange: ClientExchange, upstream: ClientRequest): void {
  const { request } = exchange;
  request.unpipe(upstream);
  upstream.destroy();
  request.resume();
  const timer = setTimeout(() => exchange.cut(), lingerMs);
  request.once('close', () => clearTimeout(timer));
}

/** Joins both sockets of an upgraded connection. Resolves when both are closed. */
export function joinConnections(
  exchange: ClientExchange,
  answer: IncomingMessage,
  app: Duplex,
  head: Buffer,
): Promise<void> {
  const { socket: client, head: clientHead } = exchange.upgrade!;
  countBytes(exchange, client as Duplex & Socket);
  exchange.response.detachSocket(client as Parameters<typeof exchange.response.detachSocket>[0]);
  const headers = ['Connection', 'Upgrade', 'Upgrade', answer.headers.upgrade ?? 'websocket'];
  headers.push(...readHead(answer).headers);
  const lines = trailerPairs(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  client.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`, 'latin1');
  if (head.length) client.write(head);
  if (clientHead.length) app.write(clientHead);
  const ends = [client, app].map((each) => new Promise<void>((closed) => each.once('close', () => closed())));
  for (const [from, to] of [
    [client, app],
    [app, client],
  ] as const) {
    keepWatch(from);
    from.pipe(to);
    from.once('close', () => to.destroy());
    from.once('error', () => to.destroy());
    // After a half-close the other side has `halfClosedMs` to finish.
    from.once('end', () => (to as Partial<{ setTimeout: SetTimeout }>).setTimeout?.(halfClosedMs, () => to.destroy()));
  }
  return Promise.all(ends).then(() => undefined);
}

/** Counts both directions when the connection closes. */
function countBytes(exchange: ClientExchange, client: Socket): void {
  const [read, written] = [client.bytesRead, client.bytesWritten];
  client.once('close', () => {
    exchange.bytesIn += client.bytesRead - read;
    exchange.response.bodyBytes += client.bytesWritten - written;
  });
}

type SetTimeout = (ms: number, then: () => void) => void;

/** Detects dead peers with TCP keep-alive, since a silent upgraded connection is legitimate. */
function keepWatch(connection: Duplex): void {
  const socket = connection as Partial<{ setKeepAlive(on: boolean, ms: number): void; setTimeout(ms: number): void }>;
  socket.setTimeout?.(0);
  socket.setKeepAlive?.(true, 60_000);
}
