import { Link } from '@tanstack/react-router';
import type { Deployment, Service } from '../../api.ts';
import { toDeployment } from '../../paths.ts';
import { Badge } from '../../ui/badge.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { changeReason } from './change-reason.ts';

type Kind = Parameters<typeof Badge>[0]['kind'];

const looks: Record<string, [title: string, kind: Kind]> = {
  waiting: ['Waiting', 'plain'],
  building: ['Building', 'accent'],
  starting: ['Starting', 'accent'],
  checking: ['Checking', 'accent'],
  ready: ['Ready', 'good'],
  unchanged: ['Unchanged', 'plain'],
  completed: ['Completed', 'good'],
  failed: ['Failed', 'danger'],
  skipped: ['Skipped', 'warn'],
  removed: ['Removed', 'plain'],
  rolled_back: ['Rolled back', 'warn'],
};
const changes: Record<NonNullable<Service['change']>, string> = {
  unchanged: 'Keep',
  create: 'Add',
  replace: 'Replace',
  remove: 'Remove; its volumes stay',
};
const ways: Record<NonNullable<Service['strategy']>, string> = {
  start_first: 'without downtime',
  stop_first: 'the previous version is stopped first',
};

const columnsIn = (deploymentId: string): Column<Service>[] => [
  { title: 'Service', place: 'lead', cell: (service) => <Named service={service} /> },
  { title: 'Status', cell: ({ status }) => <StatusOf status={status} /> },
  { title: 'Plan', cell: (service) => <Planned service={service} /> },
  { title: 'Image', cell: (service) => <Image service={service} here={deploymentId} /> },
];

/** The services of a deployment: the planned change with its reason, and the status. */
export function ServiceTable({ deployment: { id, services } }: { deployment: Deployment }) {
  return <Table label="Services" rows={services} keyOf={({ name }) => name} columns={columnsIn(id)} />;
}

function Named({ service: { name, error } }: { service: Service }) {
  return (
    <span className="[overflow-wrap:anywhere]">
      <span className="font-medium">{name}</span>
      {error && <span className="mt-0.5 block text-sm text-danger">{error}</span>}
    </span>
  );
}

function StatusOf({ status }: { status: string }) {
  const [title, kind] = looks[status] ?? [status, 'plain'];
  return <Badge kind={kind}>{title}</Badge>;
}

function Planned({ service: { change, strategy, reason } }: { service: Service }) {
  if (!change) return <span className="text-sm text-muted">Not planned yet</span>;
  return (
    <span className="block max-w-56 text-right text-sm whitespace-normal md:w-56 md:text-left">
      {changes[change]}
      {strategy && `, ${ways[strategy]}`}
      {reason && <span className="block text-muted">{changeReason(reason)}</span>}
    </span>
  );
}

/** The image, and the deployment that built the running version. */
function Image({ service: { image, digest, deploymentId }, here }: { service: Service; here: string }) {
  return (
    <span className="block max-w-56 min-w-0 text-right text-sm whitespace-normal md:w-36 md:text-left">
      <span title={digest ?? undefined} className="block truncate font-mono text-[0.8125rem]">
        {image ?? '–'}
      </span>
      {deploymentId === here && <span className="block text-muted">From this deployment</span>}
      {deploymentId && deploymentId !== here && (
        <Link {...toDeployment(deploymentId)} title={deploymentId} className="rounded text-accent hover:underline">
          From another deployment
        </Link>
      )}
    </span>
  );
}
