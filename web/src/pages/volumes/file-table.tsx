import { formatBytes } from '@mooring/client';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { sentenceOf } from '../../api.ts';
import { toFiles } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { downloadFile, type VolumeEntry, type VolumeRef } from '../../volume-queries.ts';

type Props = { place: VolumeRef; path: string; entries: VolumeEntry[] };

export function FileTable({ place, path, entries }: Props) {
  const columns: Column<VolumeEntry>[] = [
    { title: 'Name', place: 'lead', cell: (entry) => <Name place={place} path={below(path, entry)} entry={entry} /> },
    { title: 'Size', cell: ({ sizeBytes }) => <Size bytes={sizeBytes} /> },
    { title: 'Changed', cell: ({ modifiedAt }) => <Time at={modifiedAt} /> },
    {
      title: 'Download',
      place: 'actions',
      cell: (entry) => entry.type === 'file' && <Download place={place} path={below(path, entry)} />,
    },
  ];
  return <Table label="Files" rows={foldersFirst(entries)} keyOf={({ name }) => name} columns={columns} />;
}

const below = (path: string, { name }: VolumeEntry): string => (path ? `${path}/${name}` : name);

const foldersFirst = (entries: VolumeEntry[]): VolumeEntry[] =>
  entries.toSorted((one, other) => Number(other.type === 'folder') - Number(one.type === 'folder'));

type EntryProps = { place: VolumeRef; path: string; entry: VolumeEntry };

function Name({ place, path, entry: { name, type } }: EntryProps) {
  const look = 'flex min-w-0 items-center gap-2.5';
  if (type === 'folder')
    return (
      <Link {...toFiles(place, path)} className={`${look} rounded font-medium hover:text-accent`}>
        <Icon name="folder" className="text-accent" />
        <span className="truncate">{name}</span>
      </Link>
    );
  return (
    <span className={look}>
      <Icon name="file" className="text-muted" />
      <span className="truncate">{name}</span>
      {type === 'link' && <span className="text-sm text-muted">link, not followed</span>}
    </span>
  );
}

const Size = ({ bytes }: { bytes: number | null }) => (
  <span className="tabular-nums">{bytes === null ? '–' : formatBytes(bytes)}</span>
);

function Download({ place, path }: { place: VolumeRef; path: string }) {
  const download = useMutation({ mutationFn: () => downloadFile(place, path) });
  return (
    <span className="inline-flex items-center gap-2">
      {download.isError && (
        <span role="alert" className="text-sm text-danger">
          {sentenceOf(download.error)}
        </span>
      )}
      <Button
        kind="quiet"
        size="icon"
        aria-label={`Download ${path.split('/').at(-1)}`}
        title="Download"
        busy={download.isPending}
        onClick={() => download.mutate()}
      >
        {!download.isPending && <Icon name="download" />}
      </Button>
    </span>
  );
}
