import { useState } from 'react';
import { useChange } from '../../api.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import type { Volume } from '../../volume-queries.ts';
import { volumeLossText, NameToConfirm, removeVolume } from './removal.tsx';

type Props = {
  projectId: string;
  volume: Volume;
  /** Called if the data is kept. */
  onRemoved: (volume: Volume) => void;
  onClose: () => void;
};

export function RemoveVolumeDialog({ projectId, volume, onRemoved, onClose }: Props) {
  const { name, inUse } = volume;
  const toast = useToast();
  const [isForGood, setIsForGood] = useState(false);
  const [confirmed, setConfirmed] = useState('');
  const remove = useChange(async () => {
    await removeVolume(projectId, volume, isForGood ? 'delete' : 'keep');
    if (!isForGood) onRemoved(volume);
    else toast(inUse ? `The data of ${name} is deleted with the next deployment` : `${name} and its data are deleted`);
    onClose();
  });
  return (
    <ConfirmDialog
      title={`Remove the volume ${name}?`}
      confirm={isForGood ? 'Remove and delete data' : 'Remove volume'}
      kind={isForGood ? 'danger' : 'primary'}
      isReady={!isForGood || confirmed === name}
      change={remove}
      details={
        <div className="grid gap-4">
          <Checkbox checked={isForGood} onChange={setIsForGood}>
            Delete the data too
          </Checkbox>
          {isForGood && <NameToConfirm name={name} value={confirmed} onChange={setConfirmed} />}
        </div>
      }
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      {inUse
        ? 'The active release keeps using it; the next deployment does not mount it.'
        : 'The next deployment does not mount it.'}{' '}
      {isForGood ? volumeLossText(volume) : 'Its data stays, and you can mount it again later.'}
    </ConfirmDialog>
  );
}
