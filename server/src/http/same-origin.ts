import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Refuses a change that another site's page sends with our user's cookie. Browsers say where a request comes from;
 * a client that says nothing is not a browser, so nobody's cookie rides along by accident. */
export function requireSameOrigin(request: FastifyRequest, publicUrl: string | undefined): void {
  if (safeMethods.has(request.method)) return;
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site === 'same-origin' || site === 'none') return;
  if (site === undefined && origin === undefined) return;
  if (origin !== undefined && isOwnOrigin(origin, request, publicUrl)) return;
  throw new AppError('cross_origin', 'this change must come from a page of this instance');
}

function isOwnOrigin(origin: string, request: FastifyRequest, publicUrl: string | undefined): boolean {
  return origin === publicUrl || URL.parse(origin)?.host === request.host;
}
