import { useState } from 'react';
import { formatMemory } from '../../format-memory.ts';
import { exactTime, uptimeOf } from '../../times.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { OutsideLink } from '../../ui/outside-link.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import type { ReplicaLoad, ReplicaState, ServiceState } from './service-state.ts';
import { lookOfReplica, lookOfService, percentOf, replicasIn } from './service-words.ts';

type Row = { service: ServiceState; replica?: ReplicaState };
type Props = {
  label: string;
  states: ServiceState[];
  /** Undefined for people who may not scale. */
  onScale: ((service: ServiceState) => void) | undefined;
};

/** The services of a release; each row expands to its replicas. */
export function ReplicaTable({ label, states, onScale }: Props) {
  const [open, setOpen] = useState<readonly string[]>([]);
  const toggle = (name: string) =>
    setOpen((before) => (before.includes(name) ? before.filter((each) => each !== name) : [...before, name]));
  const rows = states.flatMap((service): Row[] =>
    open.includes(service.name)
      ? [{ service }, ...service.replicas.map((replica) => ({ service, replica }))]
      : [{ service }],
  );
  const columns: Column<Row>[] = [
    {
      title: 'Service',
      place: 'lead',
      cell: ({ service, replica }) =>
        replica ? (
          <Replica replica={replica} />
        ) : (
          <>
            <Name service={service} isOpen={open.includes(service.name)} onToggle={() => toggle(service.name)} />
            <Urls urls={service.replicas[0]?.container.urls ?? []} />
          </>
        ),
    },
    { title: 'Status', cell: (row) => <Status row={row} /> },
    { title: 'CPU', cell: (row) => <Cpu load={(row.replica ?? row.service).load} /> },
    { title: 'Memory', cell: (row) => <Memory load={(row.replica ?? row.service).load} /> },
    { title: 'Restarts', cell: ({ service, replica }) => (replica?.container ?? service).restarts },
    { title: 'Uptime', cell: (row) => <Uptime row={row} /> },
  ];
  if (onScale)
    columns.push({
      title: 'Actions',
      place: 'actions',
      cell: ({ service, replica }) =>
        !replica && !service.isCompleted && <ScaleButton name={service.name} onClick={() => onScale(service)} />,
    });
  return <Table label={label} rows={rows} keyOf={keyOf} columns={columns} />;
}

const keyOf = ({ service, replica }: Row): string => JSON.stringify([service.name, replica?.container.replica]);

const ScaleButton = ({ name, onClick }: { name: string; onClick: () => void }) => (
  <Button size="small" aria-label={`Scale ${name}`} onClick={onClick}>
    Scale
  </Button>
);

function Name({
  service: { name, replicas },
  isOpen,
  onToggle,
}: {
  service: ServiceState;
  isOpen: boolean;
  onToggle: () => void;
}) {
  // Leaves room for the button in the corner on narrow screens.
  const place = 'flex min-h-8 items-center pr-10 md:min-h-0 md:pr-0';
  if (!replicas.length)
    return (
      <span className={place}>
        <span className="truncate pl-6 font-medium">{name}</span>
      </span>
    );
  return (
    <span className={place}>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-label={`Replicas of ${name}`}
        onClick={onToggle}
        className="flex max-w-full items-center gap-2 rounded font-medium hover:text-accent"
      >
        <Icon name="right" size={16} className={`text-muted transition-transform ${isOpen ? 'rotate-90' : ''}`} />
        <span className="truncate">{name}</span>
      </button>
    </span>
  );
}

const Urls = ({ urls }: { urls: string[] }) => (
  <span className="grid gap-0.5 pl-6 text-sm empty:hidden">
    {urls.map((url) => (
      <OutsideLink key={url} url={url} />
    ))}
  </span>
);

const Replica = ({ replica: { container } }: { replica: ReplicaState }) => (
  <span className="flex flex-wrap items-baseline gap-x-2 text-sm md:pl-6">
    <span className="font-medium md:font-normal">Replica {container.replica}</span>
    {container.port > 0 && <span className="text-muted">port {container.port}</span>}
  </span>
);

function Status({ row: { service, replica } }: { row: Row }) {
  const { title, kind } = replica ? lookOfReplica(replica) : lookOfService(service);
  return (
    <span className="inline-flex min-w-0 flex-col items-end gap-1 md:items-start">
      <Badge kind={kind}>{title}</Badge>
      {!replica && service.next !== undefined && (
        <span className="text-muted">{replicasIn(service.next)} from the next deployment on</span>
      )}
    </span>
  );
}

const none = <span className="text-muted">–</span>;

const Cpu = ({ load }: { load: ReplicaLoad }) =>
  load ? <span className="tabular-nums">{percentOf(load.cpuPercent)}</span> : none;

const Memory = ({ load }: { load: ReplicaLoad }) =>
  load ? <span className="tabular-nums">{formatMemory(load.memoryBytes)}</span> : none;

/** The uptime of a replica, or of a service's only replica. */
function Uptime({ row: { service, replica } }: { row: Row }) {
  const shown = replica ?? (service.replicas.length === 1 ? service.replicas[0] : undefined);
  const { state, startedAt = null } = shown?.container ?? {};
  if (startedAt === null || state !== 'running') return none;
  return (
    <time dateTime={startedAt} title={`Since ${exactTime(startedAt)}`} className="whitespace-nowrap tabular-nums">
      {uptimeOf(startedAt)}
    </time>
  );
}
