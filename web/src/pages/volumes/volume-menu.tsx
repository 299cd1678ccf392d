import { useNavigate } from '@tanstack/react-router';
import { toFiles } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { buttonLook } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import type { Volume } from '../../volume-queries.ts';
import type { VolumeTask } from './volume-task-dialog.tsx';
import { shownName } from './volume-words.ts';

type Props = { projectId: string; volume: Volume; isOrphan: boolean; onTask: (task: VolumeTask) => void };

/** The actions on a volume that the signed-in person is permitted to take. */
export function VolumeMenu({ projectId, volume, isOrphan, onTask }: Props) {
  const may = usePermissions();
  const navigate = useNavigate();
  const { name, environment, origin, inUse } = volume;
  const isOwn = origin === 'project';
  const isEditable = isOwn && !isOrphan && may('project:write');
  const isMountable = isOrphan && may('project:write');
  // The compose file or the image mounts it again with every deployment.
  const isRemovable = (isOwn || !inUse) && may('project:admin');
  return (
    <Menu trigger={<Trigger label={`Actions for ${shownName(volume)}`} />}>
      <MenuItem onSelect={() => void navigate(toFiles({ projectId, name, environment }))}>Browse files</MenuItem>
      {isEditable && <MenuItem onSelect={() => onTask({ kind: 'edit', volume })}>Change path</MenuItem>}
      {isMountable && <MenuItem onSelect={() => onTask({ kind: 'mount', volume })}>Mount again</MenuItem>}
      {isRemovable && (
        <>
          <MenuLine />
          <MenuItem danger onSelect={() => onTask({ kind: isOwn && !isOrphan ? 'remove' : 'delete', volume })}>
            {isOwn && !isOrphan ? 'Remove' : 'Delete data'}
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
