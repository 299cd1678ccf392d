import { type Member, useSession } from '../../api.ts';
import { usePermissions } from '../../permissions.ts';
import { outranked } from '../../roles.ts';
import { buttonLook } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import type { MemberTask } from './member-task-dialog.tsx';

/** The actions available to the signed-in person; renders nothing if there are none. */
export function MemberMenu({ member, onTask }: { member: Member; onTask: (task: MemberTask) => void }) {
  const { user, organization } = useSession();
  const may = usePermissions();
  const own = organization?.role ?? '';
  const isSelf = member.userId === user.id;
  if (!may('member:admin') || outranked(own, member.role)) return null;
  const mayReset = !isSelf && (own === 'owner' || user.isInstanceOwner);
  return (
    <Menu trigger={<Trigger label={`Actions for ${member.name}`} />}>
      <MenuItem onSelect={() => onTask({ kind: 'role', member })}>Change role</MenuItem>
      {member.role === 'restricted' && (
        <MenuItem onSelect={() => onTask({ kind: 'grants', member })}>Edit grants</MenuItem>
      )}
      {mayReset && <MenuItem onSelect={() => onTask({ kind: 'reset', member })}>Password reset link</MenuItem>}
      <MenuLine />
      <MenuItem danger onSelect={() => onTask({ kind: 'remove', member })}>
        {isSelf ? 'Leave the organization' : 'Remove'}
      </MenuItem>
    </Menu>
  );
}

const Trigger = ({ label, ...button }: { label: string }) => (
  <button type="button" {...button} aria-label={label} className={buttonLook({ kind: 'quiet', size: 'icon' })}>
    <Icon name="more" />
  </button>
);
