import { unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { client, type Project, projectsQuery, useChange } from '../../api.ts';
import { toProject, toServers } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import type { Server } from '../../server-queries.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useToast } from '../../ui/toast.tsx';

export function RemoveServerDialog({ server: { id, name }, onClose }: { server: Server; onClose: () => void }) {
  const may = usePermissions();
  const toast = useToast();
  const navigate = useNavigate();
  const projects = useQuery({ ...projectsQuery, enabled: may('project:list') });
  const there = projects.data?.filter(({ serverId }) => serverId === id) ?? [];
  const remove = useChange(async () => {
    await unwrap(client.DELETE('/api/servers/{id}', { params: { path: { id } } }));
    toast(`${name} removed`);
    onClose();
    await navigate(toServers());
  });
  return (
    <ConfirmDialog
      title={`Remove ${name}?`}
      confirm="Remove server"
      change={remove}
      details={there.length > 0 && <InTheWay projects={there} />}
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      Mooring deletes the server and its credentials, and removes its own edge from the machine. Nothing else there
      changes.
    </ConfirmDialog>
  );
}

/** The API refuses to remove a server that has projects. */
const InTheWay = ({ projects }: { projects: Project[] }) => (
  <Notice kind="warn">
    <p className="font-medium">
      {projects.length === 1 ? 'A project runs on it' : `${projects.length} projects run on it`}
    </p>
    <ul className="my-1">
      {projects.map(({ id, name }) => (
        <li key={id}>
          <Link {...toProject(id)} className="rounded text-accent hover:underline">
            {name}
          </Link>
        </li>
      ))}
    </ul>
    <p className="text-ink">Delete or move them first. A server with projects cannot be removed.</p>
  </Notice>
);
