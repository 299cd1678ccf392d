import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { projectsQuery, sentenceOf } from '../../api.ts';
import { toServer } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import type { Server } from '../../server-queries.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { addressOf, projectServerId } from './address.ts';
import { CheckBadge } from './check-badge.tsx';
import { ServerMenu } from './server-menu.tsx';
import type { ServerTask } from './server-task-dialog.tsx';
import { useServerTest } from './server-test.ts';

type Props = { servers: Server[]; onTask: (task: ServerTask) => void };

export function ServerTable({ servers, onTask }: Props) {
  const may = usePermissions();
  const projects = useQuery({ ...projectsQuery, enabled: may('project:list') });
  const countOn = (server: Server) =>
    projects.data?.filter(({ serverId }) => serverId === projectServerId(server)).length;
  const columns: Column<Server>[] = [
    { title: 'Server', place: 'lead', cell: (server) => <Name server={server} /> },
    { title: 'Projects', cell: (server) => <Count of={countOn(server)} /> },
    { title: 'Last test', cell: (server) => <LastTest server={server} /> },
    ...(may('server:write')
      ? [
          {
            title: 'Actions',
            place: 'actions' as const,
            cell: (server: Server) => <ServerMenu {...{ server, onTask }} />,
          },
        ]
      : []),
  ];
  return <Table label="Servers" rows={servers} keyOf={({ id }) => id} columns={columns} />;
}

function Name({ server }: { server: Server }) {
  return (
    <Link {...toServer(server.id)} className="block min-w-0 rounded hover:text-accent">
      <span className="block truncate font-medium">{server.name}</span>
      <span className="block truncate text-sm text-muted">{addressOf(server)}</span>
    </Link>
  );
}

const Count = ({ of }: { of: number | undefined }) => <span className="text-sm tabular-nums">{of ?? '–'}</span>;

function LastTest({ server }: { server: Server }) {
  const test = useServerTest(server.id);
  return (
    <span className="flex flex-wrap items-center justify-end gap-x-3 gap-y-1 text-sm text-muted md:justify-start">
      <span role="status">
        <CheckBadge check={server.lastCheck} isRunning={test.isPending} />
      </span>
      {test.error ? (
        <span role="alert" className="text-danger">
          {sentenceOf(test.error)}
        </span>
      ) : (
        server.lastCheckedAt && <Time at={server.lastCheckedAt} />
      )}
    </span>
  );
}
