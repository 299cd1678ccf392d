import type { EdgeResponse } from '../counted-response.ts';
import type { ClientExchange } from '../exchange.ts';
import { sendPage } from '../pages.ts';

/** What a client has to send of a body in each `bodyMs`, unless that was all of it. */
const leastBytes = 30_000;

/** Answers 408 to who trickles a body. Once the app answers they may talk as slowly as they like, and while the app does not
 * read, the client cannot send. */
export function watchForTrickle(exchange: ClientExchange, response: EdgeResponse, bodyMs: number): void {
  if (exchange.framing === 'none' || exchange.upgrade) return;
  const { request } = exchange;
  let before = 0;
  const timer = setInterval(() => {
    const isRead = exchange.repeatable || request.readableFlowing === true;
    const isTrickled = isRead && exchange.bytesIn - before < leastBytes;
    before = exchange.bytesIn;
    if (exchange.isWhole() || response.headersSent) clearInterval(timer);
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
