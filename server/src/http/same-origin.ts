import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Rejects a change that another site's page sends with our user's cookie (CSRF). Browsers send the origin; a client
 * that sends none is not a browser and attaches no cookie by accident. */
export function requireSameOrigin(request: FastifyRequest, publicUrl: string | undefined): void {
  if (safeMethods.has(request.method)) return;
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site === 'same-origin' || site === 'none') return;
  // Browsers omit `Sec-Fetch-Site` on plain HTTP; then only the origin tells.
  const isOwn = origin === undefined || origin === publicUrl || origin === `${request.protocol}://${request.host}`;
  if (site === undefined && isOwn) return;
  throw new AppError('cross_origin', 'cross-origin requests cannot change anything; use a page of this instance');
}
