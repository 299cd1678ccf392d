import { z } from 'zod';
import type { Caller, Grant, GrantResource } from '../../http/caller.ts';
import { type Action, actions, withImplied } from '../../http/permission.ts';

const repository = /^[A-Za-z0-9_.-]+\/([A-Za-z0-9_.-]+|\*)$/;

export const Grants = z
  .array(
    z
      .object({
        resource: z.enum(['project', 'server', 'backup_destination', 'repository']),
        id: z.string().min(1).max(200).describe('Id of the thing; for a repository `owner/repo` or `owner/*`.'),
        actions: z.array(z.enum(actions)).min(1).max(4),
      })
      .refine(({ resource, id }) => resource !== 'repository' || repository.test(id), {
        path: ['id'],
        error: 'must be owner/repo or owner/*',
      }),
  )
  .max(500);

/** Whether the caller may do `action` to one thing: everybody but restricted members is bound by permissions alone. */
export function mayOn(caller: Caller, resource: GrantResource, id: string, action: Action): boolean {
  const { role, grants } = caller.organization;
  if (role !== 'restricted') return true;
  return grants.some((grant) => grant.resource === resource && covers(grant, id) && allows(grant, action));
}

/** Whether the caller knows of one thing at all. What somebody does not see is not there for them. */
export const seesOne = (caller: Caller, resource: GrantResource, id: string): boolean =>
  mayOn(caller, resource, id, 'read') || mayOn(caller, resource, id, 'list');

/** The ids that a list is narrowed to; `all` for everybody but restricted members. */
export function grantedIds(caller: Caller, resource: GrantResource, action: Action): 'all' | string[] {
  const { role, grants } = caller.organization;
  if (role !== 'restricted') return 'all';
  return grants.filter((grant) => grant.resource === resource && allows(grant, action)).map(({ id }) => id);
}

function covers({ resource, id: granted }: Grant, id: string): boolean {
  if (resource !== 'repository') return granted === id;
  // Git hosts do not tell upper case from lower case in names.
  const [pattern, name] = [granted.toLowerCase(), id.toLowerCase()];
  return pattern === name || (pattern.endsWith('/*') && name.startsWith(pattern.slice(0, -1)));
}

const allows = ({ actions: granted }: Grant, action: Action): boolean =>
  withImplied(granted.map((each) => `project:${each}` as const)).has(`project:${action}`);
