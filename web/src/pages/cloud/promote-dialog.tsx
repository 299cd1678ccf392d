import { unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { client, domainsQuery, type Project, useChange } from '../../api.ts';
import { cloudTroubleIn } from '../../cloud-error.ts';
import { toDeployment } from '../../paths.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Icon, type IconName } from '../../ui/icons.tsx';
import { useToast } from '../../ui/toast.tsx';

type Props = { project: Project; onClose: () => void };

/** Lists what moves and what stays, then opens the deployment in the cloud. */
export function PromoteDialog({ project: { id, name, trusted, serverId }, onClose }: Props) {
  const toast = useToast();
  const navigate = useNavigate();
  const promote = useChange(async () => {
    const body = { projectId: id, deployTarget: 'cloud' as const };
    const { deployment_id } = await unwrap(client.POST('/api/deployments/build/access', { body }));
    toast(`${name} runs in the cloud now`);
    onClose();
    await navigate(toDeployment(deployment_id));
  });
  const names = useQuery(domainsQuery(id)).data?.map((domain) => domain.name) ?? [];
  const stays = [trusted && 'trust in it', serverId && 'its server', 'logins at registries'].filter(Boolean);
  return (
    <ConfirmDialog
      title={`Move ${name} to the cloud?`}
      kind="primary"
      confirm="Move it"
      change={promote}
      details={
        <>
          <ul className="grid gap-2.5 text-sm">
            <Point icon="check">Moved: its settings, variables and deploy key.</Point>
            <Point icon="close">Not moved: {stays.join(', ')}.</Point>
            {names.length > 0 && (
              <Point icon="globe">
                {listed(names)} still {names.length === 1 ? 'points' : 'point'} here. Add{' '}
                {names.length === 1 ? 'it' : 'them'} in the cloud, and change the DNS.
              </Point>
            )}
            <Point icon="server">The release here keeps serving until you remove it.</Point>
            <Point icon="cloud">
              Pushes and deployments go to the cloud from now on. You can bring the project home at any time.
            </Point>
          </ul>
          {cloudTroubleIn(promote.error) === 'unreachable' && (
            <p className="mt-4 text-sm text-muted">
              The project still runs here. The cloud may have received the request: a retry within ten minutes counts as
              the same one, and deploys it once.
            </p>
          )}
        </>
      }
      onConfirm={() => promote.mutate(undefined)}
      onClose={onClose}
    >
      The cloud deploys it from its git source. The project moves once the cloud has accepted it.
    </ConfirmDialog>
  );
}

const listed = (names: string[]): string =>
  names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');

const Point = ({ icon, children }: { icon: IconName; children: ReactNode }) => (
  <li className="flex gap-2.5">
    <Icon name={icon} size={16} className="mt-0.5 text-muted" />
    <span className="min-w-0 flex-1">{children}</span>
  </li>
);
