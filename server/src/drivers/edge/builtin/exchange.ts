import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type EdgeResponse, CountedResponse } from './counted-response.ts';
import { type RequestTarget, type Framing, framingOf, readAsked } from './request-target.ts';

const mostReplayedBytes = 65_536;
const idempotent = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'PROPFIND', 'REPORT', 'SEARCH']);

/** Who asks, as far as the connection tells, or a proxy that is trusted. */
export interface Visitor {
  address: string;
  /** The connection to us is one of TLS. */
  secure: boolean;
  /** Came by HTTPS, to us or to whoever is in front of us. */
  https: boolean;
  /** The one that the visitor came to; null: our own. */
  port: number | null;
  /** The name that the handshake was for; empty without TLS. */
  servername: string;
}

/** One request of a client and the way to answer it. */
export interface ClientExchange {
  request: IncomingMessage;
  response: EdgeResponse;
  visitor: Visitor;
  /** When it came, by the process's own clock. */
  began: number;
  /** Of the body, as far as it was read. */
  bytesIn: number;
  /** Whose route answers, once one is found. */
  key: string | null;
  /** It is in the counts already, but for its bytes. */
  isCounted: boolean;
  /** Once its body has ended: whether that was all of it, or the client broke off. */
  isWhole(): boolean;
  /** Ends what the client speaks to us on, whatever is still to be said. */
  cut(): void;
  asked: RequestTarget;
  framing: Framing;
  /** The connection itself and what was read of it, where the client asks to change protocols on it. */
  upgrade: { socket: Duplex; head: Buffer } | null;
  /** May be sent again after its bytes have left us. */
  repeatable: boolean;
  /** Closes when the client is gone or has been answered. */
  client: ServerResponse | Duplex;
  /** What happens then; whoever has the exchange in hand says. */
  whenClosed: (() => void) | null;
}

type Came = {
  request: IncomingMessage;
  response: EdgeResponse;
  upgrade: ClientExchange['upgrade'];
  visitor: Visitor;
  isWhole: () => boolean;
  cut: () => void;
};

/** Gives null for a request that must not be passed on. */
export function readExchange(request: IncomingMessage, response: EdgeResponse, upgrade: ClientExchange['upgrade']) {
  const asked = readAsked(request);
  const framing = framingOf(request);
  if (!asked || framing === 'refused' || (upgrade && framing !== 'none')) return null;
  const { socket } = request;
  const visitor = visitorOn(socket);
  const isWhole = () => request.complete;
  return newExchange({ request, response, upgrade, visitor, isWhole, cut: () => socket.destroy() }, asked, framing);
}

/** Of an ordinary connection, or one of TLS. */
export function visitorOn(socket: { remoteAddress?: string; encrypted?: boolean; servername?: unknown }): Visitor {
  const { remoteAddress = '', encrypted = false, servername } = socket;
  return {
    address: plainAddress(remoteAddress),
    secure: encrypted,
    https: encrypted,
    port: null,
    servername: typeof servername === 'string' ? servername.toLowerCase() : '',
  };
}

/** One of IPv4, where it is written as one of IPv6. */
export const plainAddress = (address: string): string =>
  /^::ffff:\d/i.test(address) && address.includes('.') ? address.slice(7) : address;

export function newExchange(came: Came, asked: RequestTarget, framing: Framing): ClientExchange {
  const { request, response, upgrade, visitor, isWhole, cut } = came;
  const small =
    framing === 'none' || (framing === 'length' && Number(request.headers['content-length']) <= mostReplayedBytes);
  // Who asks for permission to send a body is not asked for the body first.
  const repeatable = idempotent.has(request.method!) && small && request.headers.expect === undefined;
  const exchange: ClientExchange = {
    request,
    response,
    visitor,
    began: performance.now(),
    bytesIn: 0,
    key: null,
    isCounted: false,
    isWhole,
    cut,
    asked,
    framing,
    upgrade,
    repeatable,
    client: upgrade?.socket ?? response,
    whenClosed: null,
  };
  exchange.client.on('close', () => exchange.whenClosed?.());
  return exchange;
}

/** A way to answer on a connection that Node has let go of, because an upgrade was asked for. */
export function responseOn(request: IncomingMessage, socket: Duplex): EdgeResponse {
  const response = new CountedResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
  response.once('finish', () => {
    response.detachSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
    (socket as unknown as { destroySoon(): void }).destroySoon();
  });
  return response;
}

/** The whole body of a request that may be sent again; null if there is none. Rejects when the client goes away. */
export async function bufferedBody(exchange: ClientExchange): Promise<Buffer | null> {
  const { request, framing, repeatable } = exchange;
  if (!repeatable || framing === 'none') return null;
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
    exchange.bytesIn += (chunk as Buffer).length;
  }
  if (!exchange.isWhole()) throw new Error('the client broke off');
  return Buffer.concat(chunks);
}
