import type { Volume } from '../../volume-queries.ts';
import { AddVolumeDialog } from './add-volume-dialog.tsx';
import { DeleteVolumeDialog } from './delete-volume-dialog.tsx';
import { EditVolumeDialog } from './edit-volume-dialog.tsx';
import { RemoveVolumeDialog } from './remove-volume-dialog.tsx';

export type VolumeTask = { kind: 'edit' | 'mount' | 'remove' | 'delete'; volume: Volume };

type Props = { projectId: string; task: VolumeTask; onRemoved: (volume: Volume) => void; onClose: () => void };

export function VolumeTaskDialog({ projectId, task: { kind, volume }, onRemoved, onClose }: Props) {
  const dialog = { projectId, volume, onClose };
  if (kind === 'edit') return <EditVolumeDialog {...dialog} />;
  if (kind === 'mount') return <AddVolumeDialog projectId={projectId} orphan={volume} onClose={onClose} />;
  if (kind === 'remove') return <RemoveVolumeDialog {...dialog} onRemoved={onRemoved} />;
  return <DeleteVolumeDialog {...dialog} />;
}
