import { unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { activeReleasesQuery, client, type Project, useChange } from '../../api.ts';
import { usePermissions } from '../../permissions.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useToast } from '../../ui/toast.tsx';

type Props = { project: Project; onClose: () => void };

/** Removes the copy in the cloud of a project that was brought home. */
export function RemoveThereDialog({ project: { id, name }, onClose }: Props) {
  const may = usePermissions();
  const toast = useToast();
  const releases = useQuery({ ...activeReleasesQuery(id), enabled: may('deployment:list') });
  const isNothingHere = releases.data?.every(({ deployTarget }) => deployTarget === 'cloud');
  const [isLeft, setIsLeft] = useState(false);
  const remove = useChange(async () => {
    const query = isLeft ? { query: { abandon: 'true' as const } } : {};
    await unwrap(client.DELETE('/api/projects/{id}/cloud', { params: { path: { id }, ...query } }));
    toast(isLeft ? `The copy of ${name} in the cloud is left there` : `${name} is removed from the cloud`);
    onClose();
  });
  return (
    <ConfirmDialog
      title={`Remove ${name} from the cloud?`}
      confirm={isLeft ? 'Leave it there' : 'Remove it there'}
      change={remove}
      details={
        <div className="grid gap-4">
          {isNothingHere && (
            <Notice kind="warn">It is not deployed here yet. Once it is removed there, nothing serves it.</Notice>
          )}
          {(isLeft || Boolean(remove.error)) && (
            <Checkbox checked={isLeft} onChange={setIsLeft}>
              That cloud is gone for good: leave the copy there and forget it here
            </Checkbox>
          )}
        </div>
      }
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      It stops serving there, and its deployments, settings and variables there are deleted. Domains that still point to
      the cloud stop working. Nothing changes here.
    </ConfirmDialog>
  );
}
