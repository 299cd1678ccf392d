import { Link } from '@tanstack/react-router';
import type { Deployment, Service } from '../../api.ts';
import { toDeployment } from '../../paths.ts';
import { Badge } from '../../ui/badge.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { whyOf } from './reason.ts';

type Kind = Parameters<typeof Badge>[0]['kind'];

const looks: Record<string, [title: string, kind: Kind]> = {
  waiting: ['Waiting', 'plain'],
  building: ['Building', 'accent'],
  starting: ['Starting', 'accent'],
  checking: ['Being checked', 'accent'],
  ready: ['Ready', 'good'],
  unchanged: ['Unchanged', 'plain'],
  completed: ['Ran to its end', 'good'],
  failed: ['Failed', 'danger'],
  skipped: ['Left as it was', 'warn'],
  removed: ['Removed', 'plain'],
  rolled_back: ['Went back', 'warn'],
};
const changes: Record<NonNullable<Service['change']>, string> = {
  unchanged: 'Leave alone',
  create: 'Add',
  replace: 'Replace',
  remove: 'Remove; its volumes stay',
};
const ways: Record<NonNullable<Service['strategy']>, string> = {
  start_first: 'without a gap',
  stop_first: 'the old one stopped first',
};

const columnsIn = (deploymentId: string): Column<Service>[] => [
  { title: 'Service', place: 'lead', cell: (service) => <Named service={service} /> },
  { title: 'Status', cell: ({ status }) => <StatusOf status={status} /> },
  { title: 'Plan', cell: (service) => <Planned service={service} /> },
  { title: 'Image', cell: (service) => <Image service={service} here={deploymentId} /> },
];

/** The services of a deployment: what is to be done to each and why so, and what came of it. */
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
  if (!change) return <span className="text-sm text-muted">Not yet</span>;
  return (
    <span className="block max-w-56 text-right text-sm whitespace-normal md:w-56 md:text-left">
      {changes[change]}
      {strategy && `, ${ways[strategy]}`}
      {reason && <span className="block text-muted">{whyOf(reason)}</span>}
    </span>
  );
}

/** With the deployment whose version of it runs. */
function Image({ service: { image, digest, deploymentId }, here }: { service: Service; here: string }) {
  return (
    <span className="block max-w-56 min-w-0 text-right text-sm md:max-w-44 md:text-left">
      <span title={digest ?? undefined} className="block truncate font-mono text-[0.8125rem]">
        {image ?? '–'}
      </span>
      {deploymentId === here && <span className="block text-muted">From this deployment</span>}
      {deploymentId && deploymentId !== here && (
        <Link {...toDeployment(deploymentId)} title={deploymentId} className="rounded text-accent hover:underline">
          From another one
        </Link>
      )}
    </span>
  );
}
