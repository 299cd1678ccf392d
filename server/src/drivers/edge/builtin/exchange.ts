import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Asked, type Framing, framingOf, readAsked } from './request-target.ts';

const mostReplayedBytes = 65_536;
const idempotent = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'PROPFIND', 'REPORT', 'SEARCH']);

/** One request of a client and the way to answer it. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  asked: Asked;
  framing: Framing;
  /** The connection itself and what was read of it, where the client asks to change protocols on it. */
  upgrade: { socket: Duplex; head: Buffer } | null;
  /** May be sent again after its bytes have left us. */
  repeatable: boolean;
  /** Closes when the client is gone or has been answered. */
  client: ServerResponse | Duplex;
}

/** Gives null for a request that must not be passed on. */
export function readExchange(
  request: IncomingMessage,
  response: ServerResponse,
  upgrade: Exchange['upgrade'],
): Exchange | null {
  const asked = readAsked(request);
  const framing = framingOf(request);
  if (!asked || framing === 'refused' || (upgrade && framing !== 'none')) return null;
  const small =
    framing === 'none' || (framing === 'length' && Number(request.headers['content-length']) <= mostReplayedBytes);
  // Who asks for permission to send a body is not asked for the body first.
  const repeatable = idempotent.has(request.method!) && small && request.headers.expect === undefined;
  return { request, response, asked, framing, upgrade, repeatable, client: upgrade?.socket ?? response };
}

/** A way to answer on a connection that Node has let go of, because an upgrade was asked for. */
export function responseOn(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
  response.once('finish', () => {
    response.detachSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
    (socket as unknown as { destroySoon(): void }).destroySoon();
  });
  return response;
}

/** The whole body of a request that may be sent again; null if there is none. Rejects when the client goes away. */
export async function bufferedBody({ request, framing, repeatable }: Exchange): Promise<Buffer | null> {
  if (!repeatable || framing === 'none') return null;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
