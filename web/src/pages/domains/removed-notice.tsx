import { unwrap } from '@mooring/client';
import { client, type Domain, useChange } from '../../api.ts';
import { useToast } from '../../ui/toast.tsx';
import { UndoNotice } from '../../ui/undo-notice.tsx';

type Props = { domain: Domain; onAdded: (domain: Domain) => void; onClose: () => void };

export function RemovedDomainNotice({ domain, onAdded, onClose }: Props) {
  const { name, certificate } = domain;
  const undo = useUndo(domain, { onAdded, onClose });
  return (
    <div className="mb-3">
      <UndoNotice title={`${name} is removed`} undo={undo} onUndo={() => undo.mutate(undefined)} onClose={onClose}>
        {certificate?.source === 'uploaded'
          ? 'You can add it back with the same settings. Its certificate has to be uploaded again.'
          : 'You can add it back with the same settings, unless another project takes it.'}
      </UndoNotice>
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
