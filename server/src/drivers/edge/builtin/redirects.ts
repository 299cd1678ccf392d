import type { EdgeRoute, EdgeTarget } from '../edge.ts';
import type { ClientExchange } from './exchange.ts';
import type { Front } from './front.ts';
import type { RequestTarget } from './request-target.ts';

/** The path begins with a slash and follows a whole origin, so it cannot redirect to another host. */
const to = (response: ClientExchange['response'], status: number, origin: string, { url }: RequestTarget): void => {
  response.writeHead(status, { Location: `${origin}${url}`, 'Content-Length': 0 });
  response.end();
};

export function redirect(
  response: ClientExchange['response'],
  target: EdgeTarget & { type: 'redirect' },
  asked: RequestTarget,
): void {
  to(response, target.status, target.to, asked);
}

/** Returns false while the host has no usable certificate. */
export function redirectToHttps(response: ClientExchange['response'], asked: RequestTarget, front: Front): boolean {
  if (!front.isSecure(asked.host)) return false;
  const port = front.publicPort(true);
  to(response, 308, `https://${asked.host}${port === 443 ? '' : `:${port}`}`, asked);
  return true;
}

/** Returns the name and value of the HSTS header; null for a route without it. */
export const hstsOf = ({ hstsSeconds }: EdgeRoute): [string, string] | null =>
  hstsSeconds === undefined ? null : ['Strict-Transport-Security', `max-age=${hstsSeconds}`];

/** Sets HSTS on a response of the edge itself. */
export function announceHttps(response: ClientExchange['response'], route: EdgeRoute): void {
  const hsts = hstsOf(route);
  if (hsts && !response.headersSent) response.setHeader(...hsts);
}
