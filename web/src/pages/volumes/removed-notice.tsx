import { UndoNotice } from '../../ui/undo-notice.tsx';
import type { Volume } from '../../volume-queries.ts';
import { useServices } from '../projects/environments.ts';
import { useAddVolume } from './add-volume-dialog.tsx';

type Props = { projectId: string; volume: Volume; onClose: () => void };

export function RemovedVolumeNotice({ projectId, volume, onClose }: Props) {
  const { name, path, environment, overlap, service } = volume;
  const services = useServices(projectId, environment);
  const bringBack = useAddVolume(projectId, onClose);
  const undo = () =>
    bringBack.mutate({
      name,
      path: path ?? '',
      environment,
      overlap,
      ...(service !== null && services.includes(service) && { service }),
    });
  return (
    <UndoNotice title={`The volume ${name} is removed`} undo={bringBack} onUndo={undo} onClose={onClose}>
      Its data is kept.
    </UndoNotice>
  );
}
