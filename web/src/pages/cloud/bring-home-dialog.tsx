import { unwrap } from '@mooring/client';
import { useNavigate } from '@tanstack/react-router';
import { client, type Project, useChange } from '../../api.ts';
import { toDeployment, toProject } from '../../paths.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useToast } from '../../ui/toast.tsx';

type Props = { project: Project; onClose: () => void };

/** Works while the cloud is unreachable, too. */
export function BringHomeDialog({ project: { id, name }, onClose }: Props) {
  const toast = useToast();
  const navigate = useNavigate();
  const bring = useChange(async () => {
    const path = { params: { path: { id } } };
    const begun = await unwrap(client.POST('/api/projects/{id}/bring-home', { ...path, body: {} }));
    toast(`${name} runs here again`);
    onClose();
    await navigate(begun.deployment_id === null ? toProject(id) : toDeployment(begun.deployment_id));
  });
  return (
    <ConfirmDialog
      title={`Bring ${name} home?`}
      kind="primary"
      confirm="Bring it home"
      change={bring}
      onConfirm={() => bring.mutate(undefined)}
      onClose={onClose}
    >
      Mooring deploys it here from its git source, and later deployments stay here. The release in the cloud keeps
      serving until you remove it there, so that there is no downtime.
    </ConfirmDialog>
  );
}
