import { ApiError, unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { asSentence, client, projectQuery, useChange, useSession } from '../../api.ts';
import { type Restore, restoreQuery } from '../../backup-queries.ts';
import { toBackup, toBackupsOf, toRestore } from '../../paths.ts';
import { ProjectContext, usePermissions } from '../../permissions.ts';
import { formatDuration } from '../../times.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { kindOfRestore, proofWords, targetWords } from './backup-words.ts';
import { JobProgress } from './job-progress.tsx';
import { JobBadge } from './status-badge.tsx';

/** One restore or drill: its progress, where the data is, and what proves it. */
export function RestorePage() {
  const { id } = useParams({ from: '/signed-in/restores/$id' });
  const may = usePermissions();
  const restore = useQuery(restoreQuery(id));
  const projectId = restore.data?.projectId ?? '';
  const project = useQuery({ ...projectQuery(projectId), enabled: projectId !== '' && may('project:read') });
  if (restore.error instanceof ApiError && restore.error.status === 404) return <NotHere />;
  const kind = restore.data ? kindOfRestore(restore.data) : 'Restore';
  return (
    <ProjectContext value={restore.data?.projectId ?? undefined}>
      <Page
        title={project.data ? `${kind} of ${project.data.name}` : kind}
        lead={
          <span className="flex flex-wrap items-center gap-2">
            {restore.data && <JobBadge status={restore.data.status} />}
            <span className="font-mono text-sm [overflow-wrap:anywhere]">{id}</span>
          </span>
        }
        action={restore.data?.undoable && <UndoButton restore={restore.data} />}
      >
        <Loaded key={id} query={restore} lines={6}>
          {(data) => <Details restore={data} projectName={project.data?.name} />}
        </Loaded>
      </Page>
    </ProjectContext>
  );
}

function Details({ restore, projectName }: { restore: Restore; projectName: string | undefined }) {
  const { projectId, backupId, beforeBackupId, undoOf, sources, startedAt, finishedAt, results, proof } = restore;
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
          ['Target', targetWords[restore.target]],
          ['Sources', sources ? sources.join(', ') : 'All'],
          ['Created', <Time key="created" at={restore.createdAt} />],
          ['Took', startedAt && finishedAt && formatDuration(Date.parse(finishedAt) - Date.parse(startedAt))],
          ['Backup', <BackupLink key="backup" id={backupId} title="Restored backup" />],
          ['Previous data', beforeBackupId && <BackupLink id={beforeBackupId} title="Backup taken before" />],
          [
            'Undo of',
            undoOf && (
              <Link {...toRestore(undoOf)} className="text-accent hover:underline">
                Earlier restore
              </Link>
            ),
          ],
        ]}
      />
      {restore.status === 'completed' && (
        <Section title={restore.kind === 'drill' ? 'Proof' : 'Result'}>
          <Notice kind="good">
            {restore.kind === 'restore' &&
              results.map(({ source, place }) => (
                <p key={source} className="text-ink">
                  {source} is restored to {place}.
                </p>
              ))}
            {proof && (
              <p className="mt-1 text-ink">
                <span className="font-medium">{asSentence(proofWords(proof.result))}</span>{' '}
                <span className="text-muted">Checked: {proof.query}</span>
              </p>
            )}
          </Notice>
        </Section>
      )}
      <JobProgress job={restore} />
    </>
  );
}

const BackupLink = ({ id, title }: { id: string; title: string }) => (
  <Link {...toBackup(id)} className="text-accent hover:underline">
    {title}
  </Link>
);

function UndoButton({ restore: { id } }: { restore: Restore }) {
  const may = usePermissions();
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const undo = useChange(async () => {
    const { data } = await unwrap(client.POST('/api/restores/{id}/undo', { params: { path: { id } } }));
    setIsAsking(false);
    await navigate(toRestore(data.id));
  });
  if (!may('backup:admin')) return null;
  return (
    <>
      <Button onClick={() => setIsAsking(true)}>Undo restore</Button>
      {isAsking && (
        <ConfirmDialog
          title="Undo this restore?"
          confirm="Undo restore"
          kind="primary"
          change={undo}
          onConfirm={() => undo.mutate(undefined)}
          onClose={() => setIsAsking(false)}
        >
          The data is replaced by the backup that was taken before the restore. What was written since is backed up
          first. The services that use the data stop meanwhile.
        </ConfirmDialog>
      )}
    </>
  );
}

/** Deleted, or in another organization than the current one. */
function NotHere() {
  const { organization } = useSession();
  return (
    <Page title="Restore">
      <EmptyState icon="history" title="There is no such restore here">
        {organization?.name} has none with this address. It may belong to another organization.
      </EmptyState>
    </Page>
  );
}
