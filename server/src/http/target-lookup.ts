import type { FastifyRequest } from 'fastify';
import type { Caller } from './caller.ts';
import type { Route } from './define-route.ts';
import type { Action } from './permission.ts';

/** Throws if the resource is missing or not accessible to this caller. */
type LookUp = (caller: Caller, id: string, action: Action) => Promise<unknown>;

/** Keyed by the path before `/:id`. */
export type TargetLookups = Record<string, LookUp>;

/** An unknown or foreign id is a 404 whatever else is wrong with the request. Handlers look up themselves, so this is
 * only needed for requests that never reach them. */
export async function requireTarget({ path, permission }: Route, request: FastifyRequest, lookUps: TargetLookups) {
  const before = /^([^:]+)\/:id(?:\/|$)/.exec(path)?.[1];
  const lookUp = before === undefined ? undefined : lookUps[before];
  if (!lookUp || !request.signedIn?.organization) return;
  await lookUp(request.signedIn as Caller, (request.params as { id: string }).id, permission.split(':')[1] as Action);
}
