import { unwrap } from '@mooring/client';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { client, type Project, sentenceOf, useChange } from '../../api.ts';
import { isJobRunning, type Policy } from '../../backup-queries.ts';
import { toBackup, toBackupPolicy, toBackupsOf, toRestore } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { MenuButton } from '../../ui/menu-button.tsx';
import { MenuItem, MenuLine } from '../../ui/menu.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { remedyFor, retentionWords, sourceTitle } from './backup-words.ts';
import { FailureNotice } from './failure-notice.tsx';
import { scheduleWords } from './schedules.ts';
import { HealthBadge } from './status-badge.tsx';

export type PolicyTask = { kind: 'edit' | 'delete'; policy: Policy };

type Props = { policy: Policy; project: Project | undefined; onTask: (task: PolicyTask) => void };

/** One policy: its health, when it runs, and what proves its backups. */
export function PolicyItem({ policy, project, onTask }: Props) {
  const { name, environment, health, enabled } = policy;
  return (
    <li className="grid grid-cols-1 gap-3 px-5 py-4" aria-label={name}>
      <div>
        <div className="flex items-start justify-between gap-4">
          <p className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1 pt-1">
            <Link
              {...toBackupPolicy(policy.id)}
              className="min-w-0 font-medium [overflow-wrap:anywhere] hover:text-accent"
            >
              {name}
            </Link>
            <HealthBadge health={health} />
            {!enabled && <Badge>Disabled</Badge>}
            {environment !== 'production' && <Badge>{environment}</Badge>}
          </p>
          <PolicyActions policy={policy} onTask={onTask} />
        </div>
        <p className="mt-0.5 text-sm text-muted [overflow-wrap:anywhere]">
          {project && (
            <>
              <Link {...toBackupsOf(project.id)} className="hover:text-accent">
                {project.name}
              </Link>
              {' · '}
            </>
          )}
          {sourcesOf(policy)} · {scheduleWords(policy.schedule)} ({policy.timezone}) · keeps {retentionWords(policy)}
          {!policy.encryption.enabled && policy.scope === 'project' && ' · not encrypted'}
        </p>
      </div>
      <dl className="grid grid-cols-1 gap-x-6 gap-y-1.5 text-sm sm:grid-cols-3">
        <Fact title="Next run">{policy.nextRunAt ? <Time at={policy.nextRunAt} /> : 'Not scheduled'}</Fact>
        <Fact title="Last backup">{policy.lastSuccessAt ? <Time at={policy.lastSuccessAt} /> : 'Never'}</Fact>
        <Fact title="Last proven restore">{policy.lastDrillAt ? <Time at={policy.lastDrillAt} /> : 'Never'}</Fact>
      </dl>
      <PolicyAdvice policy={policy} />
    </li>
  );
}

/** Why backups of the policy fail or are missing, and what to do; nothing if all is well. */
export function PolicyAdvice({ policy }: { policy: Policy }) {
  const { health, lastRun } = policy;
  const remedy = remedyFor(policy);
  const error = health === 'failing' ? lastRun?.error : null;
  if (!error) return remedy && <p className={`text-sm ${health === 'late' ? 'text-warn' : 'text-muted'}`}>{remedy}</p>;
  return (
    <FailureNotice error={error}>
      {lastRun && (
        <Link {...toBackup(lastRun.id)} className="underline">
          Open the last run
        </Link>
      )}
    </FailureNotice>
  );
}

const sourcesOf = ({ sources, scope }: Policy): string => {
  if (scope === 'instance') return 'Mooring itself';
  if (sources === 'all') return 'All volumes and databases';
  return sources.length === 1 ? sourceTitle(sources[0]!) : `${sources.length} sources`;
};

const Fact = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="flex min-w-0 justify-between gap-3 sm:block">
    <dt className="text-muted">{title}</dt>
    <dd>{children}</dd>
  </div>
);

type ActionProps = { policy: Policy; onTask: (task: PolicyTask) => void };

export function PolicyActions({ policy, onTask }: ActionProps) {
  const { id, name, enabled, lastRun, scope } = policy;
  const may = usePermissions();
  const toast = useToast();
  const navigate = useNavigate();
  const params = { path: { id } };
  const run = useChange(async () => {
    const { data } = await unwrap(client.POST('/api/backup-policies/{id}/run', { params }));
    await navigate(toBackup(data.id));
  });
  const drill = useChange(async () => {
    const { data } = await unwrap(client.POST('/api/backup-policies/{id}/drill', { params }));
    await navigate(toRestore(data.id));
  });
  const enable = useChange(async () => {
    const body = { enabled: !enabled };
    const { data } = await unwrap(client.PATCH('/api/backup-policies/{id}', { params, body }));
    toast(data.enabled ? `${name} runs by its schedule` : `${name} is disabled`);
  });
  const error = run.error ?? drill.error ?? enable.error;
  const current = lastRun && isJobRunning(lastRun) ? lastRun : undefined;
  if (!may('backup:write')) return null;
  return (
    <div className="grid shrink-0 justify-items-end gap-2">
      <div className="flex items-center gap-1">
        {current ? (
          <Button size="small" onClick={() => void navigate(toBackup(current.id))}>
            Running …<span className="sr-only"> Show the run of {name}</span>
          </Button>
        ) : (
          <Button size="small" busy={run.isPending} onClick={() => run.mutate(undefined)}>
            Run now<span className="sr-only"> ({name})</span>
          </Button>
        )}
        <MenuButton label={`Actions for ${name}`}>
          <MenuItem onSelect={() => onTask({ kind: 'edit', policy })}>Edit</MenuItem>
          {scope === 'project' && (
            <MenuItem hint="Restores the newest backup to a scratch place" onSelect={() => drill.mutate(undefined)}>
              Run drill
            </MenuItem>
          )}
          <MenuItem onSelect={() => enable.mutate(undefined)}>{enabled ? 'Disable' : 'Enable'}</MenuItem>
          {may('backup:admin') && (
            <>
              <MenuLine />
              <MenuItem danger onSelect={() => onTask({ kind: 'delete', policy })}>
                Delete
              </MenuItem>
            </>
          )}
        </MenuButton>
      </div>
      {Boolean(error) && (
        <p role="alert" className="max-w-64 text-right text-sm text-danger">
          {sentenceOf(error)}
        </p>
      )}
    </div>
  );
}
