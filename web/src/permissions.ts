import { useMe } from './api.ts';

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

/** Whether the signed-in person may do something where they are now: `may('member:admin')`. */
export function useMay(): (permission: string) => boolean {
  const held = useMe().organization?.permissions ?? [];
  return (permission) => held.includes(permission);
}
