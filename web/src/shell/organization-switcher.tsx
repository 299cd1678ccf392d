import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { healthQuery, useSession } from '../api.ts';
import { usePermissions } from '../permissions.ts';
import { roleTitle } from '../roles.ts';
import { useSwitchOrganization } from '../session.ts';
import { Icon } from '../ui/icons.tsx';
import { Menu, MenuItem, MenuLine, MenuTitle } from '../ui/menu.tsx';
import { useToast } from '../ui/toast.tsx';
import { NewOrganizationDialog } from './new-organization-dialog.tsx';

export function OrganizationSwitcher({ onLeave }: { onLeave?: () => void }) {
  const { organization, organizations, user } = useSession();
  const isCloud = useQuery(healthQuery).data?.mode === 'cloud';
  const [creating, setCreating] = useState(false);
  const may = usePermissions();
  const switchTo = useSwitchOrganization();
  const toast = useToast();
  const choose = async (id: string, name: string) => {
    if (id === organization?.id) return;
    await switchTo(id);
    onLeave?.();
    toast(`You are in ${name} now`);
  };
  return (
    <>
      <Menu align="start" trigger={<Trigger name={organization?.name ?? ''} role={organization?.role ?? ''} />}>
        <MenuTitle>Your organizations</MenuTitle>
        {organizations.map(({ id, name }) => (
          <MenuItem key={id} checked={id === organization?.id} onSelect={() => void choose(id, name)}>
            {name}
          </MenuItem>
        ))}
        {may('organization:write') && (!isCloud || user.isInstanceOwner) && (
          <>
            <MenuLine />
            <MenuItem icon="plus" onSelect={() => setCreating(true)}>
              New organization
            </MenuItem>
          </>
        )}
      </Menu>
      {creating && <NewOrganizationDialog onClose={() => setCreating(false)} onCreated={onLeave} />}
    </>
  );
}

function Trigger({ name, role, ...button }: { name: string; role: string }) {
  return (
    <button
      type="button"
      {...button}
      className="flex w-full items-center gap-2 rounded-lg border border-line bg-sunken px-3 py-2 text-left hover:border-line-strong"
    >
      <span className="min-w-0 flex-1">
        <span className="sr-only">Organization: </span>
        <span className="block truncate font-medium">{name}</span>
        <span className="block text-xs text-muted">{roleTitle(role)}</span>
      </span>
      <Icon name="chevrons" size={16} className="text-muted" />
    </button>
  );
}
