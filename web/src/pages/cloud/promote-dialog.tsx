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

/** Says what goes along and what stays, and leads to the deployment that begins in the cloud. */
export function PromoteDialog({ project: { id, name, trusted, serverId }, onClose }: Props) {
  const toast = useToast();
  const navigate = useNavigate();
  const promote = useChange(async () => {
    const body = { projectId: id, deployTarget: 'cloud' as const };
    const { deployment_id } = await unwrap(client.POST('/api/deployments/build/access', { body }));
    toast(`${name} lives in the cloud now`);
    onClose();
    await navigate(toDeployment(deployment_id));
  });
  const names = useQuery(domainsQuery(id)).data?.map((domain) => domain.name) ?? [];
  const stays = [trusted && 'trust in it', serverId && 'its server', 'logins at registries'].filter(Boolean);
  return (
    <ConfirmDialog
      title={`Take ${name} to the cloud?`}
      kind="primary"
      confirm="Take it there"
      change={promote}
      details={
        <>
          <ul className="grid gap-2.5 text-sm">
            <Point icon="check">Its settings, variables and deploy key go along.</Point>
            <Point icon="close">Not taken along: {stays.join(', ')}.</Point>
            {names.length > 0 && (
              <Point icon="globe">
                {listed(names)} still {names.length === 1 ? 'leads' : 'lead'} here. Add{' '}
                {names.length === 1 ? 'it' : 'them'} in the cloud, and change the DNS.
              </Point>
            )}
            <Point icon="server">What runs here goes on serving, until you remove it.</Point>
            <Point icon="cloud">From now on pushes and deployments go to the cloud, and the way back stays open.</Point>
          </ul>
          {cloudTroubleIn(promote.error) === 'unreachable' && (
            <p className="mt-4 text-sm text-muted">
              It still lives here. Whether it arrived is not known; within ten minutes another try is the same one, and
              deploys it once.
            </p>
          )}
        </>
      }
      onConfirm={() => promote.mutate(undefined)}
      onClose={onClose}
    >
      It is deployed there from its git source, and lives there once the cloud has said yes.
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
