import { ApiError, formatBytes, unwrap } from '@mooring/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { client, projectQuery, sentenceOf, useChange, useSession } from '../../api.ts';
import {
  type Archive,
  type Backup,
  backupQuery,
  downloadArchive,
  isJobRunning,
  policiesQuery,
} from '../../backup-queries.ts';
import { destinationsQuery } from '../../destination-queries.ts';
import { exactText } from '../../forms/exact-text.ts';
import { Form, FormActions } from '../../forms/form.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { toBackupPolicy, toBackups, toBackupsOf } from '../../paths.ts';
import { ProjectContext, usePermissions } from '../../permissions.ts';
import { formatDuration } from '../../times.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { MenuButton } from '../../ui/menu-button.tsx';
import { MenuItem, MenuLine } from '../../ui/menu.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { sourceTitle, triggerWords } from './backup-words.ts';
import { JobProgress } from './job-progress.tsx';
import { RestoreDialog } from './restore-dialog.tsx';
import { JobBadge } from './status-badge.tsx';

/** One backup: its progress, its archives, and what can be done with it. */
export function BackupPage() {
  const { id } = useParams({ from: '/signed-in/backups/$id' });
  const may = usePermissions();
  const backup = useQuery(backupQuery(id));
  const projectId = backup.data?.projectId ?? '';
  const project = useQuery({ ...projectQuery(projectId), enabled: projectId !== '' && may('project:read') });
  if (backup.error instanceof ApiError && backup.error.status === 404) return <NotHere />;
  return (
    <ProjectContext value={backup.data?.projectId ?? undefined}>
      <Page
        title={project.data ? `Backup of ${project.data.name}` : 'Backup'}
        lead={
          <span className="flex flex-wrap items-center gap-2">
            {backup.data && <JobBadge status={backup.data.status} />}
            {backup.data?.pinned && <Badge>Pinned</Badge>}
            <span className="font-mono text-sm [overflow-wrap:anywhere]">{id}</span>
          </span>
        }
        action={backup.data && <Actions key={id} backup={backup.data} projectName={project.data?.name} />}
      >
        <Loaded key={id} query={backup} lines={6}>
          {(data) => <Details backup={data} projectName={project.data?.name} />}
        </Loaded>
      </Page>
    </ProjectContext>
  );
}

type ActionProps = { backup: Backup; projectName: string | undefined };

function Actions({ backup, projectName }: ActionProps) {
  const { id, projectId, pinned, status, archives } = backup;
  const may = usePermissions();
  const toast = useToast();
  const navigate = useNavigate();
  const [task, setTask] = useState<'restore' | 'delete'>();
  const params = { path: { id } };
  const pin = useChange(async () => {
    const { data } = await unwrap(client.POST('/api/backups/{id}/pin', { params, body: { pinned: !pinned } }));
    toast(data.pinned ? 'Pinned: it is kept until it is unpinned' : 'Unpinned');
  });
  const remove = useChange(async () => {
    await unwrap(client.DELETE('/api/backups/{id}', { params }));
    toast('Backup deleted');
    await navigate(projectId ? toBackupsOf(projectId) : toBackups());
  });
  if (isJobRunning(backup) || !may('backup:write')) return null;
  return (
    <div className="flex items-center gap-1">
      {may('backup:admin') && status === 'completed' && archives.length > 0 && (
        <Button kind="primary" onClick={() => setTask('restore')}>
          Restore
        </Button>
      )}
      <MenuButton label="Actions for this backup">
        <MenuItem icon="pin" hint="The retention keeps pinned backups" onSelect={() => pin.mutate(undefined)}>
          {pinned ? 'Unpin' : 'Pin'}
        </MenuItem>
        {may('backup:admin') && (
          <>
            <MenuLine />
            <MenuItem danger onSelect={() => setTask('delete')}>
              Delete
            </MenuItem>
          </>
        )}
      </MenuButton>
      {task === 'restore' && (
        <RestoreDialog backup={backup} projectName={projectName} onClose={() => setTask(undefined)} />
      )}
      {task === 'delete' && (
        <ConfirmDialog
          title="Delete this backup?"
          confirm="Delete backup"
          change={remove}
          onConfirm={() => remove.mutate(undefined)}
          onClose={() => setTask(undefined)}
        >
          Its archives are deleted at the destination. This cannot be undone.
        </ConfirmDialog>
      )}
    </div>
  );
}

function Details({ backup, projectName }: ActionProps) {
  const may = usePermissions();
  const { data: policies = [] } = useQuery({
    ...policiesQuery(backup.projectId ?? undefined),
    enabled: may('backup:list'),
  });
  const { archives, projectId, startedAt, finishedAt, createdAt, bytes } = backup;
  const policy = policies.find(({ id }) => id === backup.policyId);
  const content = archives.reduce((sum, archive) => sum + archive.contentBytes, 0);
  return (
    <>
      <Facts
        compact
        rows={[
          [
            'Project',
            projectId && (
              <Link {...toBackupsOf(projectId)} className="hover:text-accent">
                {projectName ?? projectId}
              </Link>
            ),
          ],
          [
            'Policy',
            policy && (
              <Link {...toBackupPolicy(policy.id)} className="hover:text-accent">
                {policy.name}
              </Link>
            ),
          ],
          ['Triggered by', triggerWords[backup.trigger]],
          ['Created', <Time key="created" at={createdAt} />],
          ['Took', startedAt && finishedAt && formatDuration(Date.parse(finishedAt) - Date.parse(startedAt))],
          ['Size', bytes > 0 && `${formatBytes(bytes)} (${formatBytes(content)} of data)`],
        ]}
      />
      {archives.length > 0 && (
        <Section title="Archives">
          <Archives backup={backup} />
        </Section>
      )}
      <JobProgress job={backup} />
    </>
  );
}

function Archives({ backup: { id, archives } }: { backup: Backup }) {
  const may = usePermissions();
  const { data: destinations = [] } = useQuery({ ...destinationsQuery, enabled: may('backup_destination:list') });
  const nameOf = (destinationId: string) => destinations.find((each) => each.id === destinationId)?.name ?? '–';
  const columns: Column<Archive>[] = [
    {
      title: 'Source',
      place: 'lead',
      cell: ({ source, key }) => (
        <span className="block min-w-0">
          <span className="block truncate font-medium">{sourceTitle(source)}</span>
          <span title={key} className="block truncate font-mono text-xs text-muted">
            {key}
          </span>
        </span>
      ),
    },
    { title: 'Destination', cell: ({ destinationId }) => nameOf(destinationId) },
    { title: 'Size', cell: ({ bytes }) => <span className="tabular-nums">{formatBytes(bytes)}</span> },
    { title: 'Encrypted', cell: ({ encrypted }) => (encrypted ? 'Yes' : 'No') },
    { title: 'Verified', cell: ({ verifiedAt }) => <Time at={verifiedAt} /> },
    {
      title: 'Download',
      place: 'actions',
      cell: (archive) => may('backup:admin') && <Download backupId={id} archive={archive} />,
    },
  ];
  return <Table label="Archives" rows={archives} keyOf={(archive) => archive.id} columns={columns} />;
}

function Download({ backupId, archive }: { backupId: string; archive: Archive }) {
  const [isChoosing, setIsChoosing] = useState(false);
  const download = useMutation({ mutationFn: () => downloadArchive(backupId, archive.id) });
  return (
    <span className="inline-flex items-center gap-1">
      {download.isError && (
        <span role="alert" className="text-sm text-danger">
          {sentenceOf(download.error)}
        </span>
      )}
      {archive.source.type !== 'database' && (
        <Button
          kind="quiet"
          size="icon"
          aria-label={`Download a file of ${archive.name}`}
          title="Download a file"
          onClick={() => setIsChoosing(true)}
        >
          <Icon name="file" />
        </Button>
      )}
      <Button
        kind="quiet"
        size="icon"
        aria-label={`Download ${archive.name}`}
        title="Download"
        busy={download.isPending}
        onClick={() => download.mutate()}
      >
        {!download.isPending && <Icon name="download" />}
      </Button>
      {isChoosing && <FileDialog backupId={backupId} archive={archive} onClose={() => setIsChoosing(false)} />}
    </span>
  );
}

type FileProps = { backupId: string; archive: Archive; onClose: () => void };

function FileDialog({ backupId, archive, onClose }: FileProps) {
  const download = useMutation({
    mutationFn: (path: string) => downloadArchive(backupId, archive.id, path),
    onSuccess: onClose,
  });
  return (
    <Dialog
      title="Download a file"
      lead={`From the archive of ${sourceTitle(archive.source).toLowerCase()}. Mooring decrypts it.`}
      onClose={onClose}
    >
      <Form change={download} onSubmit={(value) => download.mutate(value('path'))}>
        <TextField
          label="Path"
          name="path"
          {...exactText}
          placeholder="images/logo.png"
          hint="Below the top folder of the volume, without a leading slash."
          required
        />
        <FormActions submit="Download">
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

/** Deleted, or in another organization than the current one. */
function NotHere() {
  const { organization } = useSession();
  return (
    <Page title="Backup">
      <EmptyState icon="history" title="There is no such backup here">
        {organization?.name} has none with this address. It may have been deleted by the retention, or belong to another
        organization.
      </EmptyState>
    </Page>
  );
}
