import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import {
  type Authenticator,
  type RequestCredential,
  credentialOf,
  organizationHeader,
  authenticateRequest,
} from './authenticate.ts';
import { authorize } from './authorize.ts';
import type { Route } from './define-route.ts';
import { type EdgeDashboard, isPlainAllowed } from './edge-socket.ts';

export type AccessCheckOptions = {
  authenticator: Authenticator;
  publicUrl: string | undefined;
  /** Undefined if the edge does not serve the dashboard. */
  dashboard?: EdgeDashboard | undefined;
};

/** Checks that the request is authenticated and authorized for the route. */
export function requireAccess(route: Route, request: FastifyRequest, credential: RequestCredential | null): void {
  if (credential && !request.signedIn) throw new AppError('unauthenticated', notAccepted[credential.type]);
  authorize(route.permission, request.signedIn, organizationHeader(request));
}

const notAccepted = {
  token: 'the access token is not valid',
  session: 'the session has ended, or the request lacks its proof (X-Session-Proof); sign in again',
};

export const isSecure = (
  request: FastifyRequest,
  { publicUrl = '', dashboard }: Pick<AccessCheckOptions, 'publicUrl' | 'dashboard'>,
) => request.protocol === 'https' || (publicUrl.startsWith('https:') && !isPlainAllowed(request, dashboard));

/** Authenticates again: access may have been revoked since. */
export async function authenticateAgain(
  route: Route,
  request: FastifyRequest,
  options: AccessCheckOptions,
): Promise<void> {
  const credential = credentialOf(request, isSecure(request, options))!;
  request.signedIn = await authenticateRequest(options.authenticator, credential, request);
  requireAccess(route, request, credential);
}
