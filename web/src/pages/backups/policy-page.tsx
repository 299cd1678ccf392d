import { ApiError } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { projectQuery, useSession } from '../../api.ts';
import { type Policy, policyQuery } from '../../backup-queries.ts';
import { destinationsQuery } from '../../destination-queries.ts';
import { toBackups, toBackupsOf } from '../../paths.ts';
import { ProjectContext, usePermissions } from '../../permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { retentionWords, sourceTitle } from './backup-words.ts';
import { BackupHistory, RestoreHistory } from './history.tsx';
import { PolicyTaskDialog } from './policy-dialogs.tsx';
import { PolicyActions, PolicyAdvice, type PolicyTask } from './policy-item.tsx';
import { scheduleWords } from './schedules.ts';
import { HealthBadge } from './status-badge.tsx';

/** One policy: its settings and health, its backups, and what proves them. */
export function PolicyPage() {
  const { id } = useParams({ from: '/signed-in/backup-policies/$id' });
  const navigate = useNavigate();
  const policy = useQuery(policyQuery(id));
  const [task, setTask] = useState<PolicyTask>();
  const projectId = policy.data?.projectId ?? undefined;
  const close = async () => {
    setTask(undefined);
    // A deleted policy has no page.
    const { error } = task?.kind === 'delete' ? await policy.refetch() : { error: null };
    if (error) await navigate(projectId ? toBackupsOf(projectId) : toBackups());
  };
  if (policy.error instanceof ApiError && policy.error.status === 404 && !task) return <NotHere />;
  return (
    <ProjectContext value={projectId}>
      <Page
        title={policy.data?.name ?? 'Backup policy'}
        lead={
          policy.data && (
            <span className="flex flex-wrap items-center gap-2">
              <HealthBadge health={policy.data.health} />
              {!policy.data.enabled && <Badge>Disabled</Badge>}
            </span>
          )
        }
        action={policy.data && <PolicyActions policy={policy.data} onTask={setTask} />}
      >
        <Loaded key={id} query={policy} lines={6}>
          {(data) => (
            <>
              <PolicyAdvice policy={data} />
              <Settings policy={data} />
              <BackupHistory policyId={id} />
              <RestoreHistory policyId={id} />
            </>
          )}
        </Loaded>
        {task && <PolicyTaskDialog task={task} onClose={() => void close()} />}
      </Page>
    </ProjectContext>
  );
}

function Settings({ policy }: { policy: Policy }) {
  const may = usePermissions();
  const projectId = policy.projectId ?? '';
  const { data: project } = useQuery({ ...projectQuery(projectId), enabled: projectId !== '' && may('project:read') });
  const { data: destinations = [] } = useQuery({ ...destinationsQuery, enabled: may('backup_destination:list') });
  const nameOf = (id: string) => destinations.find((each) => each.id === id)?.name ?? id;
  const { sources, encryption, hooks, drill, bandwidthLimit, nextRunAt, lastSuccessAt, lastDrillAt } = policy;
  const isOfProject = policy.scope === 'project';
  return (
    <Facts
      compact
      rows={[
        [
          'Project',
          isOfProject && (
            <Link {...toBackupsOf(projectId)} className="hover:text-accent">
              {project?.name ?? projectId}
            </Link>
          ),
        ],
        ['Environment', isOfProject && policy.environment],
        [
          'Sources',
          isOfProject
            ? sources === 'all'
              ? 'All volumes and databases'
              : sources.map(sourceTitle).join(', ')
            : 'Mooring itself',
        ],
        ['Schedule', `${scheduleWords(policy.schedule)} (${policy.timezone})`],
        ['Next run', nextRunAt ? <Time key="next" at={nextRunAt} /> : 'Not scheduled'],
        ['Last backup', lastSuccessAt ? <Time key="last" at={lastSuccessAt} /> : 'Never'],
        ['Last proven restore', isOfProject && (lastDrillAt ? <Time key="drill" at={lastDrillAt} /> : 'Never')],
        ['Drills', isOfProject && (drill ? scheduleWords(drill.schedule) : 'Not scheduled')],
        ['Destinations', policy.destinationIds.map(nameOf).join(', ')],
        ['Keeps', retentionWords(policy)],
        ['Encryption', encryptionWords(isOfProject, encryption)],
        ['Command before', hooks.before && <code key="before">{hooks.before}</code>],
        ['Command after', hooks.after && <code key="after">{hooks.after}</code>],
        ['Services', policy.consistency === 'pause' && 'Paused while their volumes are read'],
        ['Bandwidth', bandwidthLimit !== null && `At most ${bandwidthLimit / 1_000_000} MB/s`],
      ]}
    />
  );
}

function encryptionWords(isOfProject: boolean, { enabled, recipients = [] }: Policy['encryption']): string {
  if (!isOfProject) return 'With the key of the machine';
  if (!enabled) return 'Not encrypted';
  return recipients.length ? `With the backup key and ${recipients.length} more` : 'With the backup key';
}

/** Deleted, or in another organization than the current one. */
function NotHere() {
  const { organization } = useSession();
  return (
    <Page title="Backup policy">
      <EmptyState icon="history" title="There is no such backup policy here">
        {organization?.name} has none with this address. It may have been deleted, or belong to another organization.
      </EmptyState>
    </Page>
  );
}
