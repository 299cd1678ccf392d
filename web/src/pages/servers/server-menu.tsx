import { useResourcePermissions } from '../../permissions.ts';
import type { Server } from '../../server-queries.ts';
import { MenuButton } from '../../ui/menu-button.tsx';
import { MenuItem, MenuLine } from '../../ui/menu.tsx';
import type { ServerTask } from './server-task-dialog.tsx';
import { useServerTest } from './server-test.ts';

type Props = { server: Server; onTask: (task: ServerTask) => void };

/** The actions available to the signed-in person; renders nothing if there are none. */
export function ServerMenu({ server, onTask }: Props) {
  const mayOn = useResourcePermissions();
  const test = useServerTest(server.id);
  if (!mayOn('server', server.id, 'write')) return null;
  return (
    <MenuButton label={`Actions for ${server.name}`}>
      <MenuItem onSelect={() => !test.isPending && test.begin()}>Test connection</MenuItem>
      <MenuItem onSelect={() => onTask({ kind: 'edit', server })}>Edit</MenuItem>
      {mayOn('server', server.id, 'admin') && (
        <>
          <MenuLine />
          <MenuItem danger onSelect={() => onTask({ kind: 'remove', server })}>
            Remove
          </MenuItem>
        </>
      )}
    </MenuButton>
  );
}
