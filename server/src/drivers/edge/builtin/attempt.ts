import { type ClientRequest, type IncomingMessage, request as send } from 'node:http';
import type { Duplex } from 'node:stream';
import type { EdgeRoute, Upstream } from '../edge.ts';
import type { ClientExchange } from './exchange.ts';
import { trailerPairs, requestHeaders } from './headers.ts';
import { countPassed } from './passed-bytes.ts';
import type { AttemptFailure } from './retries.ts';
import type { Upstreams } from './upstreams.ts';

const connectMs = 5000;
const firstByteMs = 300_000;

export type AttemptOutcome =
  | { type: 'answer'; answer: IncomingMessage; upstream: ClientRequest }
  | { type: 'upgraded'; answer: IncomingMessage; socket: Duplex; head: Buffer }
  | { type: 'failed'; failure: AttemptFailure }
  | { type: 'client gone' };

/** Sends the request to one upstream, once. Reads nothing of a streamed body before the connection is established. */
export function attempt(
  exchange: ClientExchange,
  route: EdgeRoute,
  target: Upstream,
  upstreams: Upstreams,
  body: Buffer | null,
  publicPort: number,
): Promise<AttemptOutcome> {
  const { request, asked, framing, upgrade, client, repeatable } = exchange;
  if (client.destroyed) return Promise.resolve({ type: 'client gone' });
  return new Promise((resolve) => {
    const upstream = send({
      host: target.host,
      port: target.port,
      socketPath: target.socketPath,
      agent: upgrade ? upstreams.agentForOne(route, target) : upstreams.agentFor(route, target, repeatable),
      method: request.method!,
      path: asked.url,
      headers: requestHeaders(exchange, publicPort),
      maxHeaderSize: 65_536,
      // An idle timeout: activity on the connection resets it, so a long upload is not cut.
      timeout: firstByteMs,
    });
    let connected = false;
    let answered = false;
    let tooSlow = false;
    const clientGone = () => {
      upstream.destroy();
      finish({ type: 'client gone' });
    };
    const finish = (outcome: AttemptOutcome) => {
      if (exchange.whenClosed === clientGone) exchange.whenClosed = null;
      resolve(outcome);
    };
    exchange.whenClosed = clientGone;
    upstream.on('timeout', () => {
      if (answered) return;
      tooSlow = true;
      upstream.destroy();
    });
    upstream.on('socket', (socket) => {
      const stands = () => {
        connected = true;
        if (framing !== 'none' && !body) streamBody(exchange, upstream);
      };
      if (!socket.connecting) return stands();
      const patience = setTimeout(() => upstream.destroy(new Error('the app refuses connections')), connectMs);
      socket.once('connect', stands).once('connect', () => clearTimeout(patience));
      socket.once('close', () => clearTimeout(patience));
    });
    upstream.on('continue', () => exchange.response.writeContinue());
    upstream.on('response', (answer) => {
      answered = true;
      finish({ type: 'answer', answer, upstream });
    });
    if (upgrade)
      upstream.once('upgrade', (answer, socket, head) => {
        answered = true;
        finish({ type: 'upgraded', answer, socket, head });
      });
    // Stays attached after the response arrives: an error in the body then surfaces on the response itself.
    upstream.on('error', () => {
      request.unpipe(upstream);
      finish({ type: 'failed', failure: { connected, reused: upstream.reusedSocket, tooSlow } });
    });
    upstream.on('close', () => finish({ type: 'failed', failure: { connected, reused: false, tooSlow } }));
    if (framing === 'none' || body) upstream.end(body ?? undefined);
  });
}

function streamBody(exchange: ClientExchange, upstream: ClientRequest): void {
  const { request } = exchange;
  upstream.flushHeaders();
  request.pipe(upstream, { end: false });
  request.on('data', ({ length }: Buffer) => {
    exchange.bytesIn += length;
    countPassed(length);
  });
  request.once('end', () => {
    if (!exchange.isWhole()) return void upstream.destroy();
    if (request.rawTrailers.length) upstream.addTrailers(trailerPairs(request.rawTrailers));
    upstream.end();
    return undefined;
  });
}
