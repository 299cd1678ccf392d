import { usePermissions } from '../../permissions.ts';
import type { Registry } from '../../registry-queries.ts';
import { MenuButton } from '../../ui/menu-button.tsx';
import { MenuItem, MenuLine } from '../../ui/menu.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { registryTitle } from './registry-names.ts';

export type RegistryTask = { kind: 'edit' | 'delete'; registry: Registry };

type Props = { registries: Registry[]; onTask: (task: RegistryTask) => void };

export function RegistryTable({ registries, onTask }: Props) {
  const may = usePermissions();
  const columns: Column<Registry>[] = [
    { title: 'Registry', place: 'lead', cell: (registry) => <Name registry={registry} /> },
    { title: 'Username', cell: ({ username }) => <span className="text-sm">{username}</span> },
    { title: 'Last changed', cell: ({ updatedAt }) => <Changed at={updatedAt} /> },
    ...(may('registry:write')
      ? [
          {
            title: 'Actions',
            place: 'actions' as const,
            cell: (registry: Registry) => <RegistryMenu registry={registry} onTask={onTask} />,
          },
        ]
      : []),
  ];
  return <Table label="Registries" rows={registries} keyOf={({ id }) => id} columns={columns} />;
}

function Name({ registry: { address } }: { registry: Registry }) {
  const title = registryTitle(address);
  return (
    <span className="block min-w-0">
      <span className="block truncate font-medium">{title ?? address}</span>
      {title && <span className="block truncate text-sm text-muted">{address}</span>}
    </span>
  );
}

const Changed = ({ at }: { at: string }) => (
  <span className="text-sm text-muted">
    <Time at={at} />
  </span>
);

function RegistryMenu({ registry, onTask }: { registry: Registry; onTask: (task: RegistryTask) => void }) {
  const may = usePermissions();
  return (
    <MenuButton label={`Actions for ${registry.address}`}>
      <MenuItem onSelect={() => onTask({ kind: 'edit', registry })}>Edit</MenuItem>
      {may('registry:admin') && (
        <>
          <MenuLine />
          <MenuItem danger onSelect={() => onTask({ kind: 'delete', registry })}>
            Delete
          </MenuItem>
        </>
      )}
    </MenuButton>
  );
}
