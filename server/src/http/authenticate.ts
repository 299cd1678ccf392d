import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import type { SignedIn } from './caller.ts';
import { sessionSecretOf } from './session-cookie.ts';

/** Not a promise for a caller who is known already. */
type Found = SignedIn | null | Promise<SignedIn | null>;

/** Verifies tokens and sessions; implemented by the access area. */
export interface Authenticator {
  byToken(token: string, ip: string): Found;
  bySession(session: SessionSecrets, organizationId: string | undefined, ip: string): Found;
}

/** `secret` is in the cookie, which browsers also send to other ports of the same host. `proof` is in the storage of
 * the page that signed in, which only its own origin can read. Neither is valid without the other. */
export type SessionSecrets = { secret: string; proof: string };

export type RequestCredential = { type: 'token'; secret: string } | ({ type: 'session' } & SessionSecrets);

export const proofHeader = 'x-session-proof';

/** A Bearer token takes precedence over a cookie. */
export function credentialOf(request: FastifyRequest, secure: boolean): RequestCredential | null {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (!token) throw new AppError('unauthenticated', 'the Authorization header must be: Bearer <token>');
    return { type: 'token', secret: token };
  }
  const session = sessionSecretOf(request.headers.cookie, secure);
  return session ? { type: 'session', secret: session, proof: String(request.headers[proofHeader] ?? '') } : null;
}

export function authenticateRequest(
  authenticator: Authenticator,
  credential: RequestCredential,
  request: FastifyRequest,
): Found {
  if (credential.type === 'token') return authenticator.byToken(credential.secret, request.ip);
  return authenticator.bySession(credential, organizationHeader(request), request.ip);
}

export function organizationHeader(request: FastifyRequest): string | undefined {
  const header = request.headers['x-organization-id'];
  return Array.isArray(header) ? header[0] : header || undefined;
}
