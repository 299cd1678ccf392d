import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ClientExchange } from '../exchange.ts';
import { trailerLines } from '../headers.ts';
import type { ResponseHead } from './response-head.ts';

const halfClosedMs = 30_000;

/** Joins both sockets of an upgraded connection. Resolves when both are closed. */
export function joinConnections(
  exchange: ClientExchange,
  { upgrade = 'websocket', headers }: ResponseHead,
  app: Duplex,
  first: Buffer,
): Promise<void> {
  const { socket: client, head: clientHead } = exchange.upgrade!;
  countBytes(exchange, client as Duplex & Socket);
  exchange.response.detachSocket(client as Parameters<typeof exchange.response.detachSocket>[0]);
  const lines = trailerLines(['Connection', 'Upgrade', 'Upgrade', upgrade, ...headers]);
  client.write(`HTTP/1.1 101 Switching Protocols\r\n${lines}\r\n`, 'latin1');
  if (first.length) client.write(first);
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
