import { AppError } from '../errors.ts';
import type { Caller, SignedIn } from './caller.ts';
import { hasPermission } from './caller.ts';
import type { RoutePermission } from './define-route.ts';

/** The one place where a route's permission is checked against its caller. */
export function authorize(
  guard: RoutePermission,
  signedIn: SignedIn | null,
  namedOrganization: string | undefined,
): void {
  if (guard === 'public') return;
  if (!signedIn) throw new AppError('unauthenticated', 'sign in, or send an access token');
  if (guard === 'signed-in') return;
  if (!signedIn.organization) {
    if (namedOrganization) throw new AppError('not_found', 'organization not found');
    throw new AppError('forbidden', 'you are not a member of any organization');
  }
  if (!hasPermission(signedIn as Caller, guard)) throw new AppError('forbidden', `this needs the permission ${guard}`);
}
