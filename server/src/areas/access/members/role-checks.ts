import type { Trx } from '../../../db/database.ts';
import { forbidden } from '../../../errors.ts';
import type { Caller, Grant } from '../../../http/caller.ts';
import { lockOrganization } from '../organizations/store.ts';
import { permissionsOf, type Role, outranks } from '../roles.ts';
import { selectMember } from './store.ts';

/**
 * Locks the organization until the commit and checks that the caller still has the role: of two owners who demote
 * each other, only the first succeeds.
 */
export async function lockCallerRole(trx: Trx, { organization }: Caller): Promise<void> {
  await lockOrganization(trx, organization.id);
  const own = await selectMember(trx, organization.id, organization.memberId);
  if (own?.role !== organization.role) throw forbidden('your role has changed in the meantime; reload and try again');
}

/** Nobody can give a role above their own, and a token no permission that it lacks. */
export function requireMayGive({ organization }: Caller, role: Role, grants: Grant[]): void {
  if (outranks(role, organization.role as Role)) throw forbidden(`only an owner may give the role ${role}`);
  if (!permissionsOf(role, grants).isSubsetOf(organization.permissions as Set<never>))
    throw forbidden('a token cannot grant permissions that it does not have');
}
