import { z } from '../../lib/zod/index.ts';
import { storedJson } from '../../db/stored-json.ts';
import type { Caller, Grant, GrantResource } from '../../http/caller.ts';
import { type Action, actions, withImplied } from '../../http/permission.ts';

const grantResources = ['project', 'server', 'backup_destination', 'repository'] as const satisfies GrantResource[];
const repository = /^[A-Za-z0-9_.-]+\/([A-Za-z0-9_.-]+|\*)$/;

export const Grants = z
  .array(
    z
      .object({
        resource: z.enum(grantResources),
        id: z.string().min(1).max(200).describe('Id of the thing; for a repository `owner/repo` or `owner/*`.'),
        actions: z.array(z.enum(actions)).min(1).max(4),
      })
      .refine(({ resource, id }) => resource !== 'repository' || repository.test(id), {
        path: ['id'],
        error: 'must be owner/repo or owner/*',
      }),
  )
  .max(500);

/** Stored form without the validation of requests, whose rules may have changed since. */
const StoredGrants = z.array(
  z.object({ resource: z.enum(grantResources), id: z.string(), actions: z.array(z.enum(actions)) }),
) satisfies z.ZodType<Grant[]>;
const readGrants = {
  members: storedJson('members.grants', StoredGrants),
  invitations: storedJson('invitations.grants', StoredGrants),
};

export const grantsIn = (table: keyof typeof readGrants, { grants }: { grants: string }): Grant[] =>
  readGrants[table](grants);

/**
 * Whether the caller may do `action` to a resource. Only restricted members need grants; others need the permission
 * alone.
 */
export function hasAccessTo(caller: Caller, resource: GrantResource, id: string, action: Action): boolean {
  const { role, grants } = caller.organization;
  if (role !== 'restricted') return true;
  return grants.some((grant) => grant.resource === resource && covers(grant, id) && allows(grant, action));
}

/** Whether the caller may know that a resource exists. Otherwise it is reported as not found. */
export const canSee = (caller: Caller, resource: GrantResource, id: string): boolean =>
  hasAccessTo(caller, resource, id, 'read') || hasAccessTo(caller, resource, id, 'list');

/** Returns the ids that a list is restricted to; `all` for other roles. */
export function grantedIds(caller: Caller, resource: GrantResource, action: Action): 'all' | string[] {
  const { role, grants } = caller.organization;
  if (role !== 'restricted') return 'all';
  return grants.filter((grant) => grant.resource === resource && allows(grant, action)).map(({ id }) => id);
}

function covers({ resource, id: granted }: Grant, id: string): boolean {
  if (isSameResource(resource, granted, id)) return true;
  const isPattern = resource === 'repository' && granted.endsWith('/*');
  return isPattern && id.toLowerCase().startsWith(granted.toLowerCase().slice(0, -1));
}

/** Git hosts ignore case in names. */
export const isSameResource = (resource: GrantResource, one: string, other: string): boolean =>
  resource === 'repository' ? one.toLowerCase() === other.toLowerCase() : one === other;

const allows = ({ actions: granted }: Grant, action: Action): boolean =>
  withImplied(granted.map((each) => `project:${each}` as const)).has(`project:${action}`);
