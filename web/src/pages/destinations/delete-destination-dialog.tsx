import { unwrap } from '@mooring/client';
import { useState } from 'react';
import { client, useChange } from '../../api.ts';
import type { Destination } from '../../destination-queries.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { NameToConfirm } from '../volumes/removal.tsx';

type Props = { destination: Destination; onClose: () => void };

export function DeleteDestinationDialog({ destination: { id, name }, onClose }: Props) {
  const toast = useToast();
  const [confirmed, setConfirmed] = useState('');
  const remove = useChange(async () => {
    await unwrap(client.DELETE('/api/backup-destinations/{id}', { params: { path: { id } } }));
    toast(`${name} deleted`);
    onClose();
  });
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      confirm="Delete destination"
      isReady={confirmed === name}
      change={remove}
      details={<NameToConfirm name={name} value={confirmed} onChange={setConfirmed} />}
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      Mooring forgets the address and the credentials. Archives that are stored there are not deleted.
    </ConfirmDialog>
  );
}
