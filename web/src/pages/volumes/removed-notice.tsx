import { sentenceOf } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import type { Volume } from '../../volume-queries.ts';
import { useServices } from '../projects/environments.ts';
import { useAddVolume } from './add-volume-dialog.tsx';

type Props = { projectId: string; volume: Volume; onClose: () => void };

/** Offers to undo the removal of a volume until it is closed. */
export function RemovedNotice({ projectId, volume, onClose }: Props) {
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
    <Notice>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          <p className="font-medium">The volume {name} is removed</p>
          <p>Its data is kept.</p>
        </div>
        <div className="flex gap-2">
          <Button size="small" busy={bringBack.isPending} onClick={undo}>
            Bring back
          </Button>
          <Button size="small" kind="quiet" onClick={onClose}>
            Close
          </Button>
        </div>
      </div>
      {bringBack.isError && (
        <p role="alert" className="mt-1.5 font-medium text-danger">
          {sentenceOf(bringBack.error)}
        </p>
      )}
    </Notice>
  );
}
