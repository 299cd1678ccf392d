import type { FastifyRequest } from 'fastify';
import { addressGroup } from '../lib/addresses.ts';
import { credentialOf, type RequestCredential, authenticateRequest } from './authenticate.ts';
import type { SignedIn } from './caller.ts';
import type { Route } from './define-route.ts';
import { refuseNul } from './input.ts';
import { RateLimit } from './rate-limit.ts';
import { refuseCredentialsInQuery } from './query-credentials.ts';
import { requireSameOrigin } from './same-origin.ts';
import { isSecure, requireAccess, type AccessCheckOptions } from './access-check.ts';
import { limitBodyTime } from './unread-body.ts';

export type GuardOptions = AccessCheckOptions & { requestLimit: number; anonymousRequestLimit: number };

const bodyDeadlineMs = 60_000;

/** Runs all checks that precede reading the body. */
export function createGuard(options: GuardOptions) {
  const ofCallers = new RateLimit(options.requestLimit);
  const ofStrangers = new RateLimit(options.anonymousRequestLimit);
  const admit = (route: Route, request: FastifyRequest, credential: RequestCredential | null): void => {
    if (request.signedIn) ofCallers.take(keyOf(request.signedIn));
    else if (!route.ownLimit) ofStrangers.take(addressGroup(request.ip));
    requireAccess(route, request, credential);
  };
  /** Without a promise for a caller who is known already. */
  const look = (route: Route, request: FastifyRequest): void | Promise<void> => {
    // Large uploads have their own limits.
    if (route.method !== 'GET' && !route.rawBody) limitBodyTime(request.raw, bodyDeadlineMs);
    refuseCredentialsInQuery(request.query);
    refuseNul(request.params);
    refuseNul(request.query);
    // A public route does not authenticate: it works while the database is down, and a stale cookie does no harm.
    const credential = route.permission === 'public' ? null : credentialOf(request, isSecure(request, options));
    if (credential?.type !== 'token') requireSameOrigin(request, options.publicUrl);
    const found = credential && authenticateRequest(options.authenticator, credential, request);
    if (found instanceof Promise)
      return found.then((signedIn) => {
        request.signedIn = signedIn;
        admit(route, request, credential);
      });
    request.signedIn = found;
    return admit(route, request, credential);
  };
  return (route: Route, request: FastifyRequest, done: (error?: Error) => void): void => {
    let looking: void | Promise<void>;
    try {
      looking = look(route, request);
    } catch (error) {
      return done(error as Error);
    }
    if (!looking) return done();
    looking.then(() => done(), done);
    return undefined;
  };
}

const keyOf = ({ via, userId }: SignedIn) => (via.type === 'token' ? via.id : userId);
