import { unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { client, deploymentsOfQuery, type Project, useChange } from '../../api.ts';
import { useMay } from '../../permissions.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useToast } from '../../ui/toast.tsx';

type Props = { project: Project; onClose: () => void };

/** Ends what is left in the cloud of a project that lives here again. */
export function RemoveThereDialog({ project: { id, name }, onClose }: Props) {
  const may = useMay();
  const toast = useToast();
  const deployments = useQuery({ ...deploymentsOfQuery(id), enabled: may('deployment:list') });
  const isNothingHere = deployments.data?.every(({ active, deployTarget }) => !active || deployTarget === 'cloud');
  const remove = useChange(async () => {
    await unwrap(client.DELETE('/api/projects/{id}/cloud', { params: { path: { id } } }));
    toast(`${name} is removed from the cloud`);
    onClose();
  });
  return (
    <ConfirmDialog
      title={`Remove ${name} from the cloud?`}
      confirm="Remove it there"
      change={remove}
      details={
        isNothingHere && (
          <Notice kind="warn">Nothing of it serves here yet. Once it is removed there, nobody answers.</Notice>
        )
      }
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      It stops answering there, and its deployments, settings and variables there are deleted. Names that still lead to
      the cloud lead nowhere then. What is here stays.
    </ConfirmDialog>
  );
}
