import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { projectsQuery } from '../../api.ts';
import { type Backup, backupPagesQuery, policiesQuery, type Restore, restorePagesQuery } from '../../backup-queries.ts';
import { toBackup, toBackupsOf, toRestore } from '../../paths.ts';
import { sizeOf } from '../../sizes.ts';
import { Badge } from '../../ui/badge.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { kindOfRestore, proofWords, targetWords, triggerWords } from './backup-words.ts';
import { SizeChart } from './size-chart.tsx';
import { JobBadge } from './status-badge.tsx';

/** The backups of one project or of all, with a chart of their sizes; nothing while there are none. */
export function BackupHistory({ projectId }: { projectId?: string }) {
  const backups = useInfiniteQuery(backupPagesQuery({ projectId }));
  const { data: policies = [] } = useQuery(policiesQuery(projectId));
  const names = new Map(policies.map(({ id, name }) => [id, name]));
  const projectColumn = useProjectColumn(projectId);
  const columns: Column<Backup>[] = [
    { title: 'Backup', place: 'lead', cell: (backup) => <Name backup={backup} /> },
    ...projectColumn,
    { title: 'Policy', cell: ({ policyId }) => names.get(policyId ?? '') ?? '–' },
    { title: 'Trigger', cell: ({ trigger }) => triggerWords[trigger] },
    { title: 'Size', cell: ({ bytes }) => <span className="tabular-nums">{bytes ? sizeOf(bytes) : '–'}</span> },
    { title: 'Status', cell: (backup) => <JobBadge status={backup.status} /> },
  ];
  const list = backups.data?.pages.flatMap(({ data }) => data) ?? [];
  // Without any, the policies say what to do.
  if (backups.data && !list.length) return null;
  return (
    <Section title="Backups">
      <Loaded query={backups} lines={3}>
        {() => (
          <div className="grid grid-cols-1 gap-3">
            <SizeChart backups={list} />
            <Table label="Backups" rows={list} keyOf={({ id }) => id} columns={columns} />
            <LoadMore query={backups} />
          </div>
        )}
      </Loaded>
    </Section>
  );
}

const Name = ({ backup: { id, createdAt, pinned } }: { backup: Backup }) => (
  <span className="flex min-w-0 items-center gap-2">
    <Link {...toBackup(id)} className="min-w-0 truncate font-medium hover:text-accent">
      <Time at={createdAt} />
    </Link>
    {pinned && <Badge>Pinned</Badge>}
  </span>
);

/** Restores and drills, newest first; nothing while there are none. */
export function RestoreHistory({ projectId }: { projectId?: string }) {
  const restores = useInfiniteQuery(restorePagesQuery({ projectId }));
  const projectColumn = useProjectColumn(projectId);
  const list = restores.data?.pages.flatMap(({ data }) => data) ?? [];
  const columns: Column<Restore>[] = [
    {
      title: 'Restore',
      place: 'lead',
      cell: (restore) => (
        <Link {...toRestore(restore.id)} className="block truncate font-medium hover:text-accent">
          {kindOfRestore(restore)}, <Time at={restore.createdAt} />
        </Link>
      ),
    },
    ...projectColumn,
    { title: 'Target', cell: ({ target }) => targetWords[target] },
    { title: 'Proof', cell: ({ proof }) => <Proof text={proof ? proofWords(proof.result) : undefined} /> },
    { title: 'Status', cell: ({ status }) => <JobBadge status={status} /> },
  ];
  if (!list.length) return null;
  return (
    <Section title="Restores and drills">
      <div className="grid grid-cols-1 gap-3">
        <Table label="Restores and drills" rows={list} keyOf={({ id }) => id} columns={columns} />
        <LoadMore query={restores} />
      </div>
    </Section>
  );
}

const Proof = ({ text }: { text: string | undefined }) => (
  <span className="block max-w-56 truncate" title={text}>
    {text ?? '–'}
  </span>
);

/** Empty on the page of one project. */
function useProjectColumn(projectId: string | undefined): Column<{ projectId: string | null }>[] {
  const { data: projects = [] } = useQuery({ ...projectsQuery, enabled: projectId === undefined });
  if (projectId !== undefined) return [];
  const nameOf = (id: string | null) => projects.find((project) => project.id === id)?.name;
  return [
    {
      title: 'Project',
      cell: ({ projectId: id }) =>
        id === null ? (
          '–'
        ) : (
          <Link {...toBackupsOf(id)} className="hover:text-accent">
            {nameOf(id) ?? id}
          </Link>
        ),
    },
  ];
}
