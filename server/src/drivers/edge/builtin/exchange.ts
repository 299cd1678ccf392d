import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type EdgeResponse, CountedResponse } from './counted-response.ts';
import { readRequestFields, type RequestFields } from './headers.ts';
import { type RequestTarget, type Framing, framingOf, readRequestTarget } from './request-target.ts';

const mostReplayedBytes = 65_536;
const idempotent = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'PROPFIND', 'REPORT', 'SEARCH']);

/** The client, as seen on the connection or reported by a trusted proxy. */
export interface Visitor {
  address: string;
  /** Whether the connection to the edge uses TLS. */
  secure: boolean;
  /** Whether the client used HTTPS, to the edge or to a proxy in front of it. */
  https: boolean;
  /** Port that the client connected to; null: our own. */
  port: number | null;
  /** SNI name of the handshake; empty without TLS. */
  servername: string;
}

/** One client request and its response. */
export interface ClientExchange {
  request: IncomingMessage;
  response: EdgeResponse;
  visitor: Visitor;
  /** `performance.now()` when the request arrived. */
  began: number;
  /** Body bytes read so far. */
  bytesIn: number;
  /** Project key of the matching route, once found. */
  key: string | null;
  /** Whether the request is already counted, except for its bytes. */
  isCounted: boolean;
  /** After the end of the body: whether it is complete, or the client aborted. */
  isWhole(): boolean;
  /** Closes the client's connection or stream immediately. */
  cut(): void;
  asked: RequestTarget;
  fields: RequestFields;
  framing: Framing;
  /** The raw socket and the bytes read from it, for a protocol upgrade. */
  upgrade: { socket: Duplex; head: Buffer } | null;
  /** Whether the request may be retried after bytes of it were sent. */
  repeatable: boolean;
  /** Closes when the client disconnects or the response is finished. */
  client: ServerResponse | Duplex;
  /** Called on that close; set by the current handler of the exchange. */
  whenClosed: { onClientClosed(): void } | null;
}

type Came = {
  request: IncomingMessage;
  response: EdgeResponse;
  upgrade: ClientExchange['upgrade'];
  visitor: Visitor;
  isWhole: () => boolean;
  cut: () => void;
};

/** Returns null for a request that must not be forwarded. */
export function readExchange(request: IncomingMessage, response: EdgeResponse, upgrade: ClientExchange['upgrade']) {
  const fields = readRequestFields(request.rawHeaders);
  const asked = readRequestTarget(request.url ?? '', fields);
  const framing = framingOf(fields, request.httpVersion);
  if (!asked || framing === 'refused' || (upgrade && framing !== 'none')) return null;
  const socket: Socket & { visitor?: Visitor } = request.socket;
  const visitor = (socket.visitor ??= visitorOn(socket));
  const isWhole = () => request.complete;
  return newExchange(
    { request, response, upgrade, visitor, isWhole, cut: () => socket.destroy() },
    asked,
    fields,
    framing,
  );
}

/** Returns the client of a plain or TLS connection. */
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

/** Unwraps an IPv4-mapped IPv6 address. */
export const plainAddress = (address: string): string =>
  /^::ffff:\d/i.test(address) && address.includes('.') ? address.slice(7) : address;

export function newExchange(came: Came, asked: RequestTarget, fields: RequestFields, framing: Framing): ClientExchange {
  const { request, response, upgrade, visitor, isWhole, cut } = came;
  const small = framing === 'none' || (framing === 'length' && Number(fields['content-length']) <= mostReplayedBytes);
  // With `Expect: 100-continue` the body is not buffered before the app accepts it.
  const repeatable = idempotent.has(request.method!) && small && fields.expect === undefined;
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
    fields,
    framing,
    upgrade,
    repeatable,
    client: upgrade?.socket ?? response,
    whenClosed: null,
  };
  exchange.client.on('close', () => exchange.whenClosed?.onClientClosed());
  return exchange;
}

/** Creates a response on a socket that Node has detached for an upgrade. */
export function responseOn(request: IncomingMessage, socket: Duplex): EdgeResponse {
  const response = new CountedResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
  // Node no longer does this for a detached socket.
  socket.on('drain', () => response.emit('drain'));
  response.once('finish', () => {
    response.detachSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
    (socket as unknown as { destroySoon(): void }).destroySoon();
  });
  return response;
}

/** Reads the whole body of a retryable request; null if there is none. Rejects when the client disconnects. */
export async function bufferedBody(exchange: ClientExchange): Promise<Buffer | null> {
  const { request, framing, repeatable } = exchange;
  if (!repeatable || framing === 'none') return null;
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
    exchange.bytesIn += (chunk as Buffer).length;
  }
  if (!exchange.isWhole()) throw new Error('the client disconnected');
  return Buffer.concat(chunks);
}
