import { unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client, type Project, projectsQuery, useChange } from '../../api.ts';
import type { CloudLink } from '../../cloud-queries.ts';
import { toProject } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useToast } from '../../ui/toast.tsx';

type Props = { link: CloudLink; onClose: () => void };

export function UnlinkCloudDialog({ link: { url }, onClose }: Props) {
  const may = usePermissions();
  const toast = useToast();
  const { data: projects = [] } = useQuery({ ...projectsQuery, enabled: may('project:list') });
  const there = projects.filter(({ cloud }) => cloud === 'there');
  const left = projects.filter(({ cloud }) => cloud === 'left');
  const unlink = useChange(async () => {
    await unwrap(client.DELETE('/api/cloud/link'));
    toast('The cloud link is removed');
    onClose();
  });
  return (
    <ConfirmDialog
      title={`Unlink ${url}?`}
      confirm="Unlink"
      change={unlink}
      details={
        (there.length > 0 && (
          <Named projects={there} title={there.length === 1 ? 'A project runs there' : 'Projects run there'}>
            Bring them home first. The link stays until then.
          </Named>
        )) ||
        (left.length > 0 && (
          <Named projects={left} title="Copies are left there">
            Remove them from the cloud first. Without the link you can remove them only there.
          </Named>
        ))
      }
      onConfirm={() => unlink.mutate(undefined)}
      onClose={onClose}
    >
      Mooring forgets the token. It stays valid in the cloud until it is revoked there.
    </ConfirmDialog>
  );
}

type NamedProps = { projects: Project[]; title: string; children: string };

/** Lists the projects that block unlinking. */
const Named = ({ projects, title, children }: NamedProps) => (
  <Notice kind="warn">
    <p className="font-medium">{title}</p>
    <ul className="my-1">
      {projects.map(({ id, name }) => (
        <li key={id}>
          <Link {...toProject(id)} className="rounded text-accent hover:underline">
            {name}
          </Link>
        </li>
      ))}
    </ul>
    <p className="text-ink">{children}</p>
  </Notice>
);
