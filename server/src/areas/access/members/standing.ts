import type { Trx } from '../../../db/database.ts';
import { forbidden } from '../../../errors.ts';
import type { Caller, Grant } from '../../../http/caller.ts';
import { lockOrganization } from '../organizations/store.ts';
import { permissionsOf, type Role, outranks } from '../roles.ts';
import { selectMember } from './store.ts';

/** Holds the organization for the rest of the transaction, and makes sure that the caller still is what the request
 * was let in for: of two owners who demote each other at once, the second one is no owner any more. */
export async function holdStanding(trx: Trx, { organization }: Caller): Promise<void> {
  await lockOrganization(trx, organization.id);
  const own = await selectMember(trx, organization.id, organization.memberId);
  if (own?.role !== organization.role) throw forbidden('your role has changed in the meantime; reload and try again');
}

/** Nobody gives a role above their own, and a token gives nothing that it does not have. */
export function requireMayGive({ organization }: Caller, role: Role, grants: Grant[]): void {
  if (outranks(role, organization.role as Role)) throw forbidden(`only an owner may give the role ${role}`);
  if (!permissionsOf(role, grants).isSubsetOf(organization.permissions as Set<never>))
    throw forbidden('a token cannot grant permissions that it does not have');
}
