import type { Domain } from '../../api.ts';
import { usePermissions } from '../../permissions.ts';
import { Button, buttonLook } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import type { DomainChanges } from './domain-changes.ts';
import type { DomainTask } from './domain-task-dialog.tsx';

type Props = { domain: Domain; changes: DomainChanges; onTask: (task: DomainTask) => void };

/** The actions available to the signed-in person; renders nothing if there are none. */
export function DomainMenu({ domain, changes, onTask }: Props) {
  const may = usePermissions();
  if (!may('project:write')) return null;
  const isUploaded = domain.certificate?.source === 'uploaded';
  const isBusy = changes.running !== undefined;
  return (
    <div className="flex shrink-0 items-center gap-1">
      <Button size="small" disabled={isBusy} onClick={() => changes.begin('check')}>
        Check now
      </Button>
      <Menu trigger={<Trigger label={`Actions for ${domain.name}`} disabled={isBusy} />}>
        <MenuItem onSelect={() => onTask({ kind: 'edit', domain })}>Edit</MenuItem>
        {!isUploaded && may('deployment:write') && (
          <MenuItem onSelect={() => changes.begin('renew')}>
            {domain.certificate ? 'Renew certificate' : 'Order certificate now'}
          </MenuItem>
        )}
        {!domain.isPrimary && !domain.redirectTo && (
          <MenuItem onSelect={() => changes.begin('primary')}>Make primary</MenuItem>
        )}
        <MenuItem onSelect={() => onTask({ kind: 'upload', domain })}>Upload certificate</MenuItem>
        {isUploaded && (
          <MenuItem onSelect={() => onTask({ kind: 'forget', domain })}>Delete uploaded certificate</MenuItem>
        )}
        <MenuLine />
        <MenuItem danger onSelect={() => onTask({ kind: 'remove', domain })}>
          Remove
        </MenuItem>
      </Menu>
    </div>
  );
}

const Trigger = ({ label, ...button }: { label: string; disabled: boolean }) => (
  <button type="button" {...button} aria-label={label} className={buttonLook({ kind: 'quiet', size: 'icon' })}>
    <Icon name="more" />
  </button>
);
