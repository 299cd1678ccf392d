import type { EdgeRoute, EdgeTarget } from '../edge.ts';
import type { Exchange } from './exchange.ts';
import type { Front } from './front.ts';
import type { Asked } from './request-target.ts';

/** The path begins with a slash and comes after a whole origin, so it cannot lead to another host, whatever it is. */
const to = (response: Exchange['response'], status: number, origin: string, { url }: Asked): void => {
  response.writeHead(status, { Location: `${origin}${url}`, 'Content-Length': 0 });
  response.end();
};

export function redirect(
  response: Exchange['response'],
  target: EdgeTarget & { type: 'redirect' },
  asked: Asked,
): void {
  to(response, target.status, target.to, asked);
}

/** False while nobody would be answered there. */
export function redirectToHttps(response: Exchange['response'], asked: Asked, front: Front): boolean {
  if (!front.isSecure(asked.host)) return false;
  const port = front.publicPort(true);
  to(response, 308, `https://${asked.host}${port === 443 ? '' : `:${port}`}`, asked);
  return true;
}

/** Browsers then come by HTTPS only. What the app itself says of it counts more. */
export function announceHttps(response: Exchange['response'], { hstsSeconds }: EdgeRoute): void {
  if (hstsSeconds === undefined || response.headersSent) return;
  response.setHeader('Strict-Transport-Security', `max-age=${hstsSeconds}`);
}
