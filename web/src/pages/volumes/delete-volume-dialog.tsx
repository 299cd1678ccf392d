import { useState } from 'react';
import { useChange } from '../../api.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import type { Volume } from '../../volume-queries.ts';
import { volumeLossText, NameToConfirm, removeVolume } from './removal.tsx';
import { shownName } from './volume-words.ts';

type Props = { projectId: string; volume: Volume; onClose: () => void };

/** Deletes data that no volume of the project mounts. */
export function DeleteVolumeDialog({ projectId, volume, onClose }: Props) {
  const name = shownName(volume);
  const toast = useToast();
  const [confirmed, setConfirmed] = useState('');
  const remove = useChange(async () => {
    await removeVolume(projectId, volume, 'delete');
    toast(volume.inUse ? `The data of ${name} is deleted with the next deployment` : `The data of ${name} is deleted`);
    onClose();
  });
  return (
    <ConfirmDialog
      title={`Delete the data of ${name}?`}
      confirm="Delete data"
      isReady={confirmed === name}
      change={remove}
      details={<NameToConfirm name={name} value={confirmed} onChange={setConfirmed} />}
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      {volumeLossText(volume)}
    </ConfirmDialog>
  );
}
