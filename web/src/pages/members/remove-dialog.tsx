import { unwrap } from '@mooring/client';
import { client, type Member, useChange, useMe } from '../../api.ts';
import { useSwitchOrganization } from '../../session.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useToast } from '../../ui/toast.tsx';

export function RemoveDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { user, organization } = useMe();
  const isSelf = member.userId === user.id;
  const toast = useToast();
  const switchTo = useSwitchOrganization();
  const remove = useChange(async () => {
    await unwrap(client.DELETE('/api/members/{id}', { params: { path: { id: member.id } } }));
    toast(isSelf ? `You left ${organization?.name}` : `${member.name} is removed`);
    onClose();
    if (isSelf) await switchTo(undefined);
  });
  return (
    <ConfirmDialog
      title={isSelf ? `Leave ${organization?.name}?` : `Remove ${member.name}?`}
      confirm={isSelf ? 'Leave' : 'Remove member'}
      change={remove}
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      {isSelf
        ? 'You lose access at once, and your tokens in this organization are revoked. Somebody has to invite you to come back.'
        : `${member.email} loses access at once, and their tokens in this organization are revoked.`}
    </ConfirmDialog>
  );
}
