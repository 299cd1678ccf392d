import { formatBytes } from '@mooring/client';
import { Link } from '@tanstack/react-router';
import { toFiles } from '../../paths.ts';
import { Badge } from '../../ui/badge.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import type { Volume } from '../../volume-queries.ts';
import { production, useEnvironments } from '../projects/environments.ts';
import { VolumeMenu } from './volume-menu.tsx';
import type { VolumeTask } from './volume-task-dialog.tsx';
import { isUnnamed, volumeKey, volumeOriginText, shownName, volumeStateLook } from './volume-words.ts';

type Props = { projectId: string; volumes: Volume[]; isOrphan?: boolean; onTask: (task: VolumeTask) => void };

/** Volumes of a project, or with `isOrphan` data that nothing mounts. */
export function VolumeTable({ projectId, volumes, isOrphan = false, onTask }: Props) {
  const known = useEnvironments(projectId, production);
  const environments = new Set([...known, ...volumes.map(({ environment }) => environment)]);
  const services = new Set(volumes.map(({ service }) => service));
  const columns: Column<Volume>[] = [
    { title: 'Name', place: 'lead', cell: (volume) => <Name projectId={projectId} volume={volume} /> },
    { title: isOrphan ? 'Last path' : 'Path', cell: ({ path }) => <Path path={path} /> },
    ...(services.size > 1 ? [{ title: 'Service', cell: ({ service }: Volume) => service ?? '–' }] : []),
    ...(environments.size > 1 ? [{ title: 'Environment', cell: ({ environment }: Volume) => environment }] : []),
    { title: 'Size', cell: ({ sizeBytes }) => <Size bytes={sizeBytes} /> },
    { title: 'State', cell: (volume) => (isOrphan ? <OrphanState volume={volume} /> : <State volume={volume} />) },
    {
      title: 'Actions',
      place: 'actions',
      cell: (volume) =>
        !volume.deleting && <VolumeMenu projectId={projectId} volume={volume} isOrphan={isOrphan} onTask={onTask} />,
    },
  ];
  return <Table label={isOrphan ? 'Unused data' : 'Volumes'} rows={volumes} keyOf={volumeKey} columns={columns} />;
}

function Name({ projectId, volume }: { projectId: string; volume: Volume }) {
  const { name, environment } = volume;
  return (
    <span className="block min-w-0" title={name}>
      <Link {...toFiles({ projectId, name, environment })} className="block truncate font-medium hover:text-accent">
        {shownName(volume)}
      </Link>
      {isUnnamed(volume) && <span className="block truncate text-sm text-muted">Without a name</span>}
    </span>
  );
}

const Path = ({ path }: { path: string | null }) =>
  path === null ? (
    <span className="text-muted">–</span>
  ) : (
    <span title={path} className="block max-w-56 truncate text-right font-mono text-[0.8125rem] md:text-left">
      {path}
    </span>
  );

const Size = ({ bytes }: { bytes: number | null }) => (
  <span className="tabular-nums">{bytes === null ? '–' : formatBytes(bytes)}</span>
);

function State({ volume }: { volume: Volume }) {
  if (volume.deleting) return <Deleting />;
  const { title, kind } = volumeStateLook(volume);
  const origin = volumeOriginText(volume);
  return (
    <span className="inline-flex min-w-0 flex-col items-end gap-1 md:items-start">
      <Badge kind={kind}>{title}</Badge>
      {origin && <span className="text-muted">{origin}</span>}
    </span>
  );
}

const Deleting = () => <Badge kind="warn">Data is being deleted</Badge>;

const OrphanState = ({ volume: { inUse, deleting } }: { volume: Volume }) =>
  deleting ? (
    <Deleting />
  ) : inUse ? (
    <Badge kind="warn">Mounted until the next deployment</Badge>
  ) : (
    <Badge>Not mounted</Badge>
  );
