import { paths } from '../paths.ts';
import type { IconName } from '../ui/icons.tsx';

type Entry = { to: (typeof paths)[keyof typeof paths]; title: string; icon: IconName; needs?: string };

/** Projects, then their connections, then the organization. */
export const entryGroups: Entry[][] = [
  [
    { to: paths.overview, title: 'Overview', icon: 'overview' },
    { to: paths.projects, title: 'Projects', icon: 'project', needs: 'project:list' },
  ],
  [
    { to: paths.git, title: 'Git', icon: 'git', needs: 'githost:read' },
    { to: paths.servers, title: 'Servers', icon: 'server', needs: 'server:list' },
    { to: paths.registries, title: 'Registries', icon: 'registry', needs: 'registry:list' },
    { to: paths.backups, title: 'Backups', icon: 'history', needs: 'backup:list' },
    { to: paths.destinations, title: 'Backup destinations', icon: 'backup', needs: 'backup_destination:list' },
  ],
  [
    { to: paths.members, title: 'Members', icon: 'members', needs: 'member:list' },
    { to: paths.tokens, title: 'Access tokens', icon: 'key', needs: 'token:list' },
    { to: paths.audit, title: 'Audit log', icon: 'audit', needs: 'audit:list' },
    { to: paths.organization, title: 'Organization', icon: 'organization' },
    { to: paths.instance, title: 'Instance', icon: 'system', needs: 'instance:owner' },
  ],
];

export const navigationEntries: Entry[] = entryGroups.flat();
