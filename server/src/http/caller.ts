import type { Action, Permission } from './permission.ts';

/** Actions of a restricted member on one resource. A repository is `owner/repo` or `owner/*`. */
export type Grant = { resource: GrantResource; id: string; actions: Action[] };
export type GrantResource = 'project' | 'server' | 'backup_destination' | 'repository';

/** The user who sent the request. */
export interface SignedIn {
  userId: string;
  email: string;
  name: string;
  isInstanceOwner: boolean;
  via: { type: 'session'; hash: string } | { type: 'token'; id: string; expiresAt: number | null };
  /** Organization that the request acts in; null for a user who belongs to none. */
  organization: CallerOrganization | null;
  ip: string;
}

export interface CallerOrganization {
  id: string;
  name: string;
  memberId: string;
  role: string;
  grants: Grant[];
  permissions: ReadonlySet<Permission>;
}

/** A signed-in user acting in an organization. */
export interface Caller extends SignedIn {
  organization: CallerOrganization;
}

export function hasPermission(caller: Caller, permission: Permission): boolean {
  return caller.organization.permissions.has(permission);
}
