import { createContext, useContext } from 'react';
import { type Grant, useMe } from './api.ts';

export const actions = ['list', 'read', 'write', 'admin'] as const;
export type Action = (typeof actions)[number];

const implied: Record<Action, readonly Action[]> = {
  list: [],
  read: [],
  write: ['list', 'read'],
  admin: ['list', 'read', 'write'],
};

/** Actions that come with those given: admin brings write, write brings read and list. */
export const impliedBy = (given: readonly Action[]): Set<Action> => new Set(given.flatMap((action) => implied[action]));

/** What was chosen without what comes along anyway. */
export function withoutImplied(given: readonly Action[]): Action[] {
  const along = impliedBy(given);
  return given.filter((action) => !along.has(action));
}

/** Permissions grouped by resource, in the order of the actions. */
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

/** Whether the signed-in person may do something where they are now: `may('member:admin')`. On the pages of a project the
 * permissions of a restricted member are those of the grant on that project; elsewhere they create no projects. */
export function useMay(): (permission: string) => boolean {
  const { organization } = useMe();
  const projectId = useContext(ProjectContext);
  return (permission) => {
    if (!organization?.permissions.includes(permission)) return false;
    const [resource, action] = permission.split(':') as [string, Action];
    if (organization.role !== 'restricted' || !['project', 'deployment'].includes(resource)) return true;
    if (projectId === undefined) return resource !== 'project' || action === 'list' || action === 'read';
    return organization.grants.some(
      ({ resource: granted, id, actions: given }) => granted === 'project' && id === projectId && allows(given, action),
    );
  };
}

/** Whether the signed-in person may do something to one resource: `mayOn('server', id, 'write')`. Restricted members hold a
 * permission as soon as one grant carries it, so theirs are checked against the grant of that very resource. */
export function useMayOn(): (resource: Grant['resource'], id: string, action: Action) => boolean {
  const may = useMay();
  const organization = useMe().organization;
  return (resource, id, action) => {
    if (!may(`${resource === 'repository' ? 'githost' : resource}:${action}`)) return false;
    if (organization?.role !== 'restricted') return true;
    return organization.grants.some(
      (grant) => grant.resource === resource && covers(grant, id) && allows(grant.actions, action),
    );
  };
}

/** Git hosts do not distinguish upper and lower case in names; `owner/*` covers all of an owner. */
function covers({ resource, id: granted }: Grant, id: string): boolean {
  if (resource !== 'repository') return granted === id;
  const [pattern, name] = [granted.toLowerCase(), id.toLowerCase()];
  return pattern === name || (pattern.endsWith('/*') && name.startsWith(pattern.slice(0, -1)));
}

/** Restricted members work with what they were granted: they add and connect nothing. */
export const useIsRestricted = (): boolean => useMe().organization?.role === 'restricted';
