import type { EdgeResponse } from '../counted-response.ts';
import type { ClientExchange } from '../exchange.ts';
import { sendPage } from '../pages.ts';

/** Minimum number of body bytes per `bodyMs`, unless the body is complete. */
const leastBytes = 30_000;

/** Answers 408 to a client that trickles its body. The check stops once the app responds, and does not count time in
 * which the app reads nothing. */
export function watchForSlowBody(exchange: ClientExchange, response: EdgeResponse, bodyMs: number): void {
  if (exchange.framing === 'none' || exchange.upgrade) return;
  const { request } = exchange;
  let before = 0;
  const timer = setInterval(() => {
    const isRead = exchange.repeatable || request.readableFlowing === true;
    const isTrickled = isRead && exchange.bytesIn - before < leastBytes;
    before = exchange.bytesIn;
    if (request.complete || response.headersSent) clearInterval(timer);
    else if (isTrickled) refuse();
  }, bodyMs).unref();
  exchange.client.once('close', () => clearInterval(timer));

  const refuse = () => {
    clearInterval(timer);
    response.shouldKeepAlive = false;
    response.once('finish', () => exchange.cut());
    sendPage(request, response, 'slow_body');
  };
}
