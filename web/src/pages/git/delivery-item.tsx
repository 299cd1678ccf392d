import { unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { asSentence, client, projectsQuery, sentenceOf, useChange } from '../../api.ts';
import type { Delivery } from '../../githost-queries.ts';
import { toDeployment, toProject, toRepository } from '../../paths.ts';
import { usePermissions, useResourcePermissions } from '../../permissions.ts';
import { exactTime } from '../../times.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';

const statuses = {
  received: { kind: 'accent', title: 'In progress' },
  handled: { kind: 'good', title: 'Handled' },
  ignored: { kind: 'plain', title: 'Ignored' },
  failed: { kind: 'danger', title: 'Failed' },
} as const;

/** One delivery: the event, its result in each project, and a replay button. */
export function DeliveryItem({ delivery }: { delivery: Delivery }) {
  const { event, repository, ref, commitSha, status, why, projects, receivedAt } = delivery;
  const replay = useReplay(delivery);
  const { kind, title } = statuses[status];
  return (
    <li className="grid grid-cols-1 gap-1.5 px-5 py-4">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1.5">
        <p className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
          <Badge kind={kind}>{title}</Badge>
          <span className="font-medium">{event}</span>
          {repository && <RepositoryLink name={repository} />}
          {(ref ?? commitSha) && (
            <span className="min-w-0 font-mono text-[0.8125rem] text-muted [overflow-wrap:anywhere]">
              {[ref, commitSha?.slice(0, 7)].filter(Boolean).join(' @ ')}
            </span>
          )}
        </p>
        <span className="flex items-center gap-3 text-sm text-muted">
          <Time at={receivedAt} />
          {replay.isAllowed && (
            <Button size="small" busy={replay.isPending} onClick={() => replay.mutate(undefined)}>
              Replay<span className="sr-only"> the {event} delivery</span>
            </Button>
          )}
        </span>
      </div>
      {why && <p className="text-sm text-muted [overflow-wrap:anywhere]">{asSentence(why)}</p>}
      {projects.length > 0 && (
        <ul className="grid gap-1 text-sm">
          {projects.map((outcome) => (
            <ProjectOutcome key={outcome.projectId} outcome={outcome} />
          ))}
        </ul>
      )}
      {Boolean(replay.error) && (
        <p role="alert" className="text-sm text-danger">
          {sentenceOf(replay.error)}
        </p>
      )}
      <Details delivery={delivery} />
    </li>
  );
}

const linkLook = 'rounded text-accent [overflow-wrap:anywhere] hover:underline';

const RepositoryLink = ({ name }: { name: string }) =>
  usePermissions()('githost:read') ? (
    <Link {...toRepository(name)} className={linkLook}>
      {name}
    </Link>
  ) : (
    <span className="[overflow-wrap:anywhere]">{name}</span>
  );

function ProjectOutcome({ outcome: { projectId, deploymentId, why } }: { outcome: Delivery['projects'][number] }) {
  const may = usePermissions();
  const { data: projects = [] } = useQuery({ ...projectsQuery, enabled: may('project:list') });
  const known = projects.find(({ id }) => id === projectId);
  return (
    <li className="flex flex-wrap items-baseline gap-x-2">
      <Icon name="right" size={14} className="self-center text-muted" />
      {known ? (
        <Link {...toProject(projectId)} className={linkLook}>
          {known.name}
        </Link>
      ) : (
        <span className="text-muted">Deleted project {projectId}</span>
      )}
      {deploymentId && may('deployment:read') && (
        <Link {...toDeployment(deploymentId)} className={linkLook}>
          Deployment
        </Link>
      )}
      {why && <span className="min-w-0 text-muted [overflow-wrap:anywhere]">{asSentence(why)}</span>}
    </li>
  );
}

function Details({ delivery: { guid, commitSha, attempts, receivedAt, handledAt } }: { delivery: Delivery }) {
  const rows = [
    ['Delivery id', guid],
    ['Commit', commitSha],
    ['Received', exactTime(receivedAt)],
    ['Finished', handledAt && exactTime(handledAt)],
    ['Attempts', String(attempts)],
  ].filter(([, value]) => value);
  return (
    <details className="group min-w-0 text-sm">
      <summary className="flex w-fit list-none items-center gap-1 rounded text-muted hover:text-ink [&::-webkit-details-marker]:hidden">
        <Icon name="right" size={14} className="transition-transform group-open:rotate-90" />
        Details
      </summary>
      <dl className="mt-2 grid gap-x-6 gap-y-1 rounded-lg bg-sunken px-4 py-3 sm:grid-cols-[auto_1fr]">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 font-mono text-[0.8125rem] [overflow-wrap:anywhere]">{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** Processes a delivery again. A commit that was already deployed is not deployed twice. */
function useReplay({ id, repository, status }: Delivery) {
  const toast = useToast();
  const may = usePermissions();
  const mayOn = useResourcePermissions();
  const isAllowed = repository ? mayOn('repository', repository, 'write') : may('githost:write');
  const replay = useChange(async () => {
    await unwrap(client.POST('/api/githost/deliveries/{id}/replay', { params: { path: { id } } }));
    toast('Delivery is handled again');
  });
  return { ...replay, isAllowed: isAllowed && status !== 'received' };
}
