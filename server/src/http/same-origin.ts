import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Refuses a change that another site's page sends with our user's cookie. Browsers say where a request comes from;
 * a client that says nothing is not a browser, so nobody's cookie rides along by accident. */
export function requireSameOrigin(request: FastifyRequest, publicUrl: string | undefined): void {
  if (safeMethods.has(request.method)) return;
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site === 'same-origin' || site === 'none') return;
  // Browsers leave the site out on plain HTTP; then the origin tells, and only it.
  const isOwn = origin === undefined || origin === publicUrl || origin === `${request.protocol}://${request.host}`;
  if (site === undefined && isOwn) return;
  throw new AppError('cross_origin', 'cross-origin requests cannot change anything; use a page of this instance');
}
