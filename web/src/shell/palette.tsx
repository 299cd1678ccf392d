import { useQuery } from '@tanstack/react-query';
import { type LinkProps, useRouter } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { projectsQuery } from '../api.ts';
import {
  paths,
  toDeploymentsOf,
  toNew,
  toProject,
  toProjectLogs,
  toProjectSettings,
  toServer,
  toServers,
  toTokens,
  toVariables,
} from '../paths.ts';
import { usePermissions } from '../permissions.ts';
import { serversQuery } from '../server-queries.ts';
import { Icon, type IconName } from '../ui/icons.tsx';
import { navigationEntries } from './navigation-entries.ts';

type Target = { title: string; icon: IconName; to: LinkProps; words?: string };

/** The command palette. Loaded when it is first opened. */
export function Palette({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const [search, setSearch] = useState('');
  const groups = useTargets({ isSearching: search.trim() !== '' });
  const go = (to: LinkProps) => {
    onClose();
    void router.navigate(to);
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-fade bg-[rgb(6_16_22/0.55)]" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-x-3 top-[12vh] z-50 mx-auto max-w-xl animate-rise overflow-hidden rounded-2xl border border-line bg-raised shadow-float"
        >
          <Dialog.Title className="sr-only">Go to</Dialog.Title>
          <Command label="Go to" loop>
            <div className="flex items-center gap-3 border-b border-line px-4">
              <Icon name="search" className="text-muted" />
              <Command.Input
                autoFocus
                value={search}
                onValueChange={setSearch}
                placeholder="Search projects and pages"
                className="min-h-13 w-full bg-transparent outline-none placeholder:text-muted"
              />
            </div>
            <Command.List className="max-h-[50vh] overflow-y-auto p-2">
              <Command.Empty className="px-3 py-6 text-center text-muted">Nothing found.</Command.Empty>
              {groups
                .filter(([, targets]) => targets.length)
                .map(([title, targets]) => (
                  <Command.Group
                    key={title}
                    heading={title}
                    className="[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-muted"
                  >
                    {targets.map(({ title: name, icon, to, words }) => (
                      <Command.Item
                        key={`${name} ${words ?? ''}`}
                        value={`${title} ${name} ${words ?? ''}`}
                        onSelect={() => go(to)}
                        className="flex cursor-pointer items-center gap-3 rounded-lg px-3 py-2 data-[selected=true]:bg-accent-soft data-[selected=true]:text-accent"
                      >
                        <Icon name={icon} className="text-muted" />
                        <span className="min-w-0 flex-1 truncate">{name}</span>
                        {words && <span className="truncate text-sm text-muted">{words}</span>}
                      </Command.Item>
                    ))}
                  </Command.Group>
                ))}
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function useTargets({ isSearching }: { isSearching: boolean }): [title: string, targets: Target[]][] {
  const may = usePermissions();
  const { data: projects = [] } = useQuery({ ...projectsQuery, enabled: may('project:list') });
  const { data: servers = [] } = useQuery({ ...serversQuery, enabled: may('server:list') });
  const actions: (Target & { needs: string })[] = [
    { title: 'New app', icon: 'plus', to: toNew(), needs: 'project:write' },
    { title: 'Add a server', icon: 'server', to: toServers({ add: true }), needs: 'server:write' },
    { title: 'Create an access token', icon: 'key', to: toTokens({ create: true }), needs: 'token:write' },
  ];
  const tabsOf = (id: string, name: string): Target[] => [
    ...(may('deployment:list')
      ? [{ title: name, words: 'Deployments', icon: 'project' as const, to: toDeploymentsOf(id) }]
      : []),
    ...(may('deployment:read') ? [{ title: name, words: 'Logs', icon: 'audit' as const, to: toProjectLogs(id) }] : []),
    { title: name, words: 'Variables', icon: 'key', to: toVariables(id) },
    ...(may('project:write')
      ? [{ title: name, words: 'Settings', icon: 'organization' as const, to: toProjectSettings(id) }]
      : []),
  ];
  // The tabs of many projects would hide everything else until the person types.
  const ofProjects = projects.flatMap(({ id, name }): Target[] => [
    { title: name, icon: 'project', to: toProject(id) },
    ...(isSearching ? tabsOf(id, name) : []),
  ]);
  return [
    ['Projects', ofProjects],
    ['Actions', actions.filter(({ needs }) => may(needs))],
    ['Servers', servers.map(({ id, name }) => ({ title: name, icon: 'server', to: toServer(id) }))],
    [
      'Pages',
      [
        ...navigationEntries
          .filter(({ needs }) => !needs || may(needs))
          .map(({ to, ...entry }) => ({ ...entry, to: { to } })),
        { title: 'Account', icon: 'person', to: { to: paths.account } },
      ],
    ],
  ];
}
