import { unwrap } from '@mooring/client';
import { client, useChange } from '../../api.ts';
import type { Policy } from '../../backup-queries.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useToast } from '../../ui/toast.tsx';

type Props = { policy: Policy; onClose: () => void };

export function DeletePolicyDialog({ policy: { id, name }, onClose }: Props) {
  const toast = useToast();
  const remove = useChange(async () => {
    await unwrap(client.DELETE('/api/backup-policies/{id}', { params: { path: { id } } }));
    toast(`${name} deleted`);
    onClose();
  });
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      confirm="Delete policy"
      change={remove}
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      Nothing is backed up by it any more. Its backups are kept, and the retention no longer deletes them.
    </ConfirmDialog>
  );
}
