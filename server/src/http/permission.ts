/** Parts of permissions: `<resource>:<action>`. */
export const resources = [
  'organization',
  'member',
  'token',
  'audit',
  'project',
  'deployment',
  'backup',
  'backup_destination',
  'githost',
  'server',
  'registry',
] as const;
export const actions = ['list', 'read', 'write', 'admin'] as const;

export type Resource = (typeof resources)[number];
export type Action = (typeof actions)[number];
export type Permission = `${Resource}:${Action}`;

export const allPermissions: readonly Permission[] = resources.flatMap((resource) =>
  actions.map((action) => `${resource}:${action}` as const),
);

const implied: Record<Action, readonly Action[]> = {
  list: ['list'],
  read: ['read'],
  write: ['write', 'read', 'list'],
  admin: ['admin', 'write', 'read', 'list'],
};

/** Adds implied permissions: admin implies write, write implies read and list; read and list do not imply each
 * other. */
export function withImplied(permissions: Iterable<Permission>): Set<Permission> {
  const all = new Set<Permission>();
  for (const permission of permissions) {
    const [resource, action] = permission.split(':') as [Resource, Action];
    for (const each of implied[action]) all.add(`${resource}:${each}`);
  }
  return all;
}
