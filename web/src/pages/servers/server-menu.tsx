import { useMay } from '../../permissions.ts';
import type { Server } from '../../server-queries.ts';
import { buttonLook } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import type { ServerTask } from './server-task-dialog.tsx';
import { useServerTest } from './server-test.ts';

type Props = { server: Server; onTask: (task: ServerTask) => void };

/** What the signed-in person may do to a server; nothing is shown where that is nothing. */
export function ServerMenu({ server, onTask }: Props) {
  const may = useMay();
  const test = useServerTest(server.id);
  if (!may('server:write')) return null;
  return (
    <Menu trigger={<Trigger label={`Actions for ${server.name}`} />}>
      <MenuItem onSelect={() => !test.isPending && test.begin()}>Test connection</MenuItem>
      <MenuItem onSelect={() => onTask({ kind: 'edit', server })}>Edit</MenuItem>
      {may('server:admin') && (
        <>
          <MenuLine />
          <MenuItem danger onSelect={() => onTask({ kind: 'remove', server })}>
            Remove
          </MenuItem>
        </>
      )}
    </Menu>
  );
}

const Trigger = ({ label, ...button }: { label: string }) => (
  <button type="button" {...button} aria-label={label} className={buttonLook({ kind: 'quiet', size: 'icon' })}>
    <Icon name="more" />
  </button>
);
