import { unwrap } from '@mooring/client';
import { client, type Member, useChange, useSession } from '../../api.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { LeaveDialog } from '../organization/leave-section.tsx';

type Props = { member: Member; onClose: () => void };

export function RemoveDialog({ member, onClose }: Props) {
  const { user } = useSession();
  return member.userId === user.id ? (
    <LeaveDialog onClose={onClose} />
  ) : (
    <RemoveOtherDialog member={member} onClose={onClose} />
  );
}

function RemoveOtherDialog({ member, onClose }: Props) {
  const toast = useToast();
  const remove = useChange(async () => {
    await unwrap(client.DELETE('/api/members/{id}', { params: { path: { id: member.id } } }));
    toast(`${member.name} is removed`);
    onClose();
  });
  return (
    <ConfirmDialog
      title={`Remove ${member.name}?`}
      confirm="Remove member"
      change={remove}
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      {`${member.email} loses access immediately, and their tokens in this organization are revoked.`}
    </ConfirmDialog>
  );
}
