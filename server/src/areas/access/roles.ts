import { type MemberTable, type Role, roles } from '../../db/tables/access.ts';
import type { Grant, GrantResource } from '../../http/caller.ts';
import { allPermissions, type Permission, type Resource, withImplied } from '../../http/permission.ts';
import { grantsIn } from './grants.ts';

export { type Role, roles };

const upTo = (...actions: string[]) =>
  allPermissions.filter((permission) => actions.includes(permission.split(':')[1]!));

// A token never has more permissions than its creator, so every role may create its own.
const ownTokens: Permission[] = ['token:write'];

const permissionsOfRole: Record<Exclude<Role, 'restricted'>, ReadonlySet<Permission>> = {
  owner: new Set(allPermissions),
  admin: new Set(allPermissions),
  member: withImplied(upTo('list', 'read', 'write')),
  viewer: withImplied([...upTo('list', 'read'), ...ownTokens]),
};

/** Permissions that a grant implies. The owning area checks the resource itself. */
const resourcesOfGrant: Record<GrantResource, Resource[]> = {
  project: ['project', 'deployment', 'backup'],
  server: ['server'],
  backup_destination: ['backup_destination'],
  repository: ['githost'],
};

export function permissionsOf(role: Role, grants: Grant[]): ReadonlySet<Permission> {
  if (role !== 'restricted') return permissionsOfRole[role];
  const granted = grants.flatMap(({ resource, actions }) =>
    resourcesOfGrant[resource].flatMap((each) => actions.map((action) => `${each}:${action}` as const)),
  );
  return withImplied([...granted, ...ownTokens, 'organization:read', 'organization:list']);
}

export const permissionsOfMember = (member: Pick<MemberTable, 'role' | 'grants'>): ReadonlySet<Permission> =>
  permissionsOf(member.role, grantsIn('members', member));

/** Returns a token's permissions, limited to the current ones of its member. */
export function permissionsOfToken(
  held: ReadonlySet<Permission>,
  token: readonly Permission[] | '*',
): ReadonlySet<Permission> {
  if (token === '*') return held;
  return withImplied(token).intersection(held);
}

const rank: Record<Role, number> = { owner: 4, admin: 3, member: 2, viewer: 1, restricted: 0 };

export const outranks = (role: Role, other: Role): boolean => rank[role] > rank[other];
