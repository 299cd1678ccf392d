import { createContext, useContext } from 'react';
import { type Grant, useSession } from './api.ts';

export const actions = ['list', 'read', 'write', 'admin'] as const;
export type Action = (typeof actions)[number];

const implied: Record<Action, readonly Action[]> = {
  list: [],
  read: [],
  write: ['list', 'read'],
  admin: ['list', 'read', 'write'],
};

/** The given actions and those they imply: admin implies write, write implies read and list. */
export const impliedBy = (given: readonly Action[]): Set<Action> => new Set(given.flatMap((action) => implied[action]));

/** Removes the actions that others imply. */
export function withoutImplied(given: readonly Action[]): Action[] {
  const along = impliedBy(given);
  return given.filter((action) => !along.has(action));
}

/** Groups permissions by resource, in the order of the actions. */
export function byResource(permissions: readonly string[]): Map<string, Action[]> {
  const groups = new Map<string, Action[]>();
  for (const action of actions)
    for (const permission of permissions) {
      const [resource = '', own] = permission.split(':');
      if (own === action) groups.set(resource, [...(groups.get(resource) ?? []), action]);
    }
  return groups;
}

const resourceTitles: Record<string, string> = {
  backup_destination: 'Backup destinations',
  githost: 'Git host',
  audit: 'Audit log',
};

/** `deployment` -> `Deployments`. */
export const resourceTitle = (resource: string): string =>
  resourceTitles[resource] ?? `${resource.charAt(0).toUpperCase()}${resource.slice(1).replaceAll('_', ' ')}s`;

const allows = (given: readonly Action[], action: Action) => given.includes(action) || impliedBy(given).has(action);

/** The project whose pages are shown. */
export const ProjectContext = createContext<string | undefined>(undefined);

/** Whether the signed-in person may do something on the current page: `may('member:admin')`. `instance:owner` is no
 * permission of a role: the person owns the whole instance. On the pages of a
 * project, a restricted member has the permissions of the grant on it; elsewhere they cannot create projects. */
export function usePermissions(): (permission: string) => boolean {
  const { organization, user } = useSession();
  const projectId = useContext(ProjectContext);
  return (permission) => {
    if (permission === 'instance:owner') return user.isInstanceOwner;
    if (!organization?.permissions.includes(permission)) return false;
    const [resource, action] = permission.split(':') as [string, Action];
    if (organization.role !== 'restricted' || !['project', 'deployment', 'backup'].includes(resource)) return true;
    if (projectId === undefined) return resource !== 'project' || action === 'list' || action === 'read';
    return organization.grants.some(
      ({ resource: granted, id, actions: given }) => granted === 'project' && id === projectId && allows(given, action),
    );
  };
}

/** Whether the signed-in person may do something to one resource: `mayOn('server', id, 'write')`. Restricted members
 * have a permission as soon as one grant includes it, so they are checked against the grant on that resource. */
export function useResourcePermissions(): (resource: Grant['resource'], id: string, action: Action) => boolean {
  const may = usePermissions();
  const organization = useSession().organization;
  return (resource, id, action) => {
    if (!may(`${resource === 'repository' ? 'githost' : resource}:${action}`)) return false;
    if (organization?.role !== 'restricted') return true;
    return organization.grants.some(
      (grant) => grant.resource === resource && covers(grant, id) && allows(grant.actions, action),
    );
  };
}

/** Git hosts treat names as case-insensitive; `owner/*` covers all repositories of an owner. */
function covers({ resource, id: granted }: Grant, id: string): boolean {
  if (resource !== 'repository') return granted === id;
  const [pattern, name] = [granted.toLowerCase(), id.toLowerCase()];
  return pattern === name || (pattern.endsWith('/*') && name.startsWith(pattern.slice(0, -1)));
}

/** Restricted members use what they were granted: they cannot add or connect anything. */
export const useIsRestricted = (): boolean => useSession().organization?.role === 'restricted';
