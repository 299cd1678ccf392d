import type { IncomingMessage } from 'node:http';
import type { EdgeResponse } from './counted-response.ts';
import type { ClientExchange } from './exchange.ts';
import { type EdgeLog, logFailure } from './log.ts';
import { sendPage } from './pages.ts';
import { Proxying } from './proxy.ts';
import { countFinishedRequest, type Traffic } from './traffic.ts';
import { watchForSlowBody } from './limits/slow-bodies.ts';

/** Timeouts for a client on a connection where no bytes move. */
export interface ClientTimeouts {
  headersMs: number;
  stuckMs: number;
  /** Interval at which the minimum upload rate is checked. */
  bodyMs: number;
}

export const defaultTimeouts: ClientTimeouts = { headersMs: 20_000, stuckMs: 60_000, bodyMs: 60_000 };

/** Answers a request of either protocol. `exchange` is null for a request that must not be forwarded. */
export type RequestHandler = (
  request: IncomingMessage,
  response: EdgeResponse,
  exchange: ClientExchange | null,
) => void;

export function createRequestHandler(
  traffic: Traffic,
  log: EdgeLog,
  patience: ClientTimeouts = defaultTimeouts,
): RequestHandler {
  return (request, response, exchange) => {
    if (!exchange) {
      response.shouldKeepAlive = false;
      return sendPage(request, response, 'bad_request');
    }
    exchange.visitor = traffic.front.proxies.visitorBehind(exchange.visitor, request.headers, exchange.asked.authority);
    const leave = traffic.front.enter(exchange.visitor);
    if (!leave) {
      response.shouldKeepAlive = false;
      return sendPage(request, response, 'too_many');
    }
    watchForSlowBody(exchange, response, patience.bodyMs);
    new Proxying(traffic, exchange, (error) => {
      if (error !== null && !exchange.client.destroyed) {
        logFailure(log, 'a request failed')(error);
        if (response.headersSent) exchange.client.destroy();
        else sendPage(request, response, 'no_answer');
      }
      leave();
      countFinishedRequest(traffic.counts, exchange);
    }).start();
  };
}
