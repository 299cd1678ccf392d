import { unwrap } from '@mooring/client';
import { client, type Domain, sentenceOf, useChange } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useToast } from '../../ui/toast.tsx';

type Props = { domain: Domain; onAdded: (domain: Domain) => void; onClose: () => void };

/** Stays until it is closed, so that there is time to undo the removal. */
export function RemovedNotice({ domain, onAdded, onClose }: Props) {
  const { name, certificate } = domain;
  const undo = useUndo(domain, { onAdded, onClose });
  const rest =
    certificate?.source === 'uploaded'
      ? 'You can add it back with the same settings. Its certificate has to be uploaded again.'
      : 'You can add it back with the same settings, unless another project takes it.';
  return (
    <div className="mb-3">
      <Notice>
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <div className="min-w-0 flex-1 basis-60">
            <p className="font-medium">{name} is removed</p>
            <p>{rest}</p>
          </div>
          <div className="flex gap-2">
            <Button size="small" busy={undo.isPending} onClick={() => undo.mutate(undefined)}>
              Undo
            </Button>
            <Button size="small" kind="quiet" onClick={onClose}>
              Close
            </Button>
          </div>
        </div>
        {undo.isError && (
          <p role="alert" className="mt-1.5 font-medium text-danger">
            {sentenceOf(undo.error)}
          </p>
        )}
      </Notice>
    </div>
  );
}

function useUndo(domain: Domain, { onAdded, onClose }: Pick<Props, 'onAdded' | 'onClose'>) {
  const toast = useToast();
  return useChange(async () => {
    const { projectId: id, name, environment, service, path, redirectTo, isPrimary, https, hstsSeconds } = domain;
    const body = { name, environment, service, path, redirectTo, isPrimary, https, hstsSeconds };
    const { data } = await unwrap(client.POST('/api/projects/{id}/domains', { params: { path: { id } }, body }));
    toast(`${name} is back`);
    onAdded(data);
    onClose();
  });
}
