import { formatBytes } from '@mooring/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { projectsQuery } from '../../api.ts';
import {
  type Backup,
  backupPagesQuery,
  type JobFilter,
  policiesQuery,
  type Policy,
  type Restore,
  restorePagesQuery,
} from '../../backup-queries.ts';
import { toBackup, toBackupPolicy, toBackupsOf, toRestore } from '../../paths.ts';
import { Badge } from '../../ui/badge.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { kindOfRestore, proofWords, targetWords, triggerWords } from './backup-words.ts';
import { SizeChart } from './size-chart.tsx';
import { JobBadge } from './status-badge.tsx';

/** The backups of one project or policy, or of all, with a chart of their sizes; nothing while there are none. */
export function BackupHistory(filter: JobFilter) {
  const backups = useInfiniteQuery(backupPagesQuery(filter));
  const { data: policies = [] } = useQuery(policiesQuery(filter.projectId));
  const policyOf = (policyId: string | null) => policies.find(({ id }) => id === policyId);
  const projectColumn = useProjectColumn(filter);
  const columns: Column<Backup>[] = [
    { title: 'Backup', place: 'lead', cell: (backup) => <Name backup={backup} /> },
    ...projectColumn,
    ...(filter.policyId === undefined
      ? [{ title: 'Policy', cell: ({ policyId }: Backup) => <PolicyLink policy={policyOf(policyId)} /> }]
      : []),
    { title: 'Trigger', cell: ({ trigger }) => triggerWords[trigger] },
    { title: 'Size', cell: ({ bytes }) => <span className="tabular-nums">{bytes ? formatBytes(bytes) : '–'}</span> },
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

const PolicyLink = ({ policy }: { policy: Policy | undefined }) =>
  policy ? (
    <Link {...toBackupPolicy(policy.id)} className="hover:text-accent">
      {policy.name}
    </Link>
  ) : (
    '–'
  );

const Name = ({ backup: { id, createdAt, pinned } }: { backup: Backup }) => (
  <span className="flex min-w-0 items-center gap-2">
    <Link {...toBackup(id)} className="min-w-0 truncate font-medium hover:text-accent">
      <Time at={createdAt} />
    </Link>
    {pinned && <Badge>Pinned</Badge>}
  </span>
);

/** Restores and drills, newest first; nothing while there are none. */
export function RestoreHistory(filter: JobFilter) {
  const restores = useInfiniteQuery(restorePagesQuery(filter));
  const projectColumn = useProjectColumn(filter);
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

/** Empty on the page of one project or policy. */
function useProjectColumn({ projectId, policyId }: JobFilter): Column<{ projectId: string | null }>[] {
  const isOfOne = projectId !== undefined || policyId !== undefined;
  const { data: projects = [] } = useQuery({ ...projectsQuery, enabled: !isOfOne });
  if (isOfOne) return [];
  const nameOf = (id: string | null) => projects.find((project) => project.id === id)?.name;
  return [
    {
      title: 'Project',
      cell: ({ projectId: id }) =>
        id === null ? (
          'Mooring'
        ) : (
          <Link {...toBackupsOf(id)} className="hover:text-accent">
            {nameOf(id) ?? id}
          </Link>
        ),
    },
  ];
}
