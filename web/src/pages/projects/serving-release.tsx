import { keepsCrashing } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Deployment, type Project, type Traffic, trafficQuery } from '../../api.ts';
import { toDeployment, toProjectSettings, toTraffic } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { containersQuery, usageQuery } from '../../service-queries.ts';
import { formatMemory } from '../../format-memory.ts';
import { Badge } from '../../ui/badge.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Card } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { ReleaseAddresses } from '../domains/addresses.tsx';
import { countOf } from '../traffic/counts.ts';
import { production } from './environments.ts';

const pollMs = 5000;

/** The release that serves production: its address, health, resource usage and traffic. */
export function ServingRelease({ project, release }: { project: Project; release: Deployment }) {
  return (
    <Card className="grid gap-5 p-5">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <div className="text-lg font-semibold">
            <ReleaseAddresses projectId={project.id} urls={release.urls} />
          </div>
          <p className="mt-1 text-sm text-muted">
            <Link {...toDeployment(release.id)} className="rounded hover:text-ink hover:underline">
              {whatOf(release)}
            </Link>
            , since <Time at={release.timing.finishedAt ?? release.timing.createdAt} />
          </p>
        </div>
        <Health release={release} />
      </div>
      {!release.urls.length && !project.publicEndpoints.some(({ none }) => none) && <NothingPublic project={project} />}
      <div className="grid gap-4 border-t border-line pt-4 sm:grid-cols-3">
        <Usage release={release} />
        <Requests project={project} />
      </div>
    </Card>
  );
}

const NothingPublic = ({ project: { id, slug } }: { project: Project }) => (
  <Notice kind="warn">
    <p>
      No service of this stack can be reached: none publishes a port for HTTP, or it does not answer. Add the port of
      the public service to the compose file, or choose the service, or that none is public, in the{' '}
      <Link {...toProjectSettings(id)} className="rounded font-medium underline">
        settings
      </Link>{' '}
      or with <code className="font-mono">mooring endpoint set {slug} &lt;service&gt;:&lt;port&gt;</code>.
    </p>
  </Notice>
);

function whatOf({ commitSha, commitMessage, branch, id }: Deployment): string {
  const message = commitMessage?.split('\n', 1)[0];
  if (commitSha) return [commitSha.slice(0, 7), branch && `on ${branch}`, message].filter(Boolean).join(' · ');
  return `Release ${id.slice(-6)}`;
}

function useContainers({ id }: Deployment) {
  const isAllowed = usePermissions()('deployment:read');
  return useQuery({ ...containersQuery(id), enabled: isAllowed, refetchInterval: pollMs });
}

/** A static site has no replicas and is always healthy. */
function Health({ release }: { release: Deployment }) {
  const { data } = useContainers(release);
  if (!data) return null;
  const ready = data.filter((each) => each.ready).length;
  if (!data.length) return <Badge kind="good">Serving</Badge>;
  const crashing = data.filter((each) => keepsCrashing(each));
  if (crashing.length) {
    const times = crashing.reduce((sum, { restarts }) => sum + restarts, 0);
    return <Badge kind="danger">Keeps crashing: {times} restarts</Badge>;
  }
  if (ready === data.length) return <Badge kind="good">Healthy</Badge>;
  return (
    <Badge kind={ready ? 'warn' : 'danger'}>
      {ready ? `${ready} of ${data.length} replicas ready` : 'Not answering'}
    </Badge>
  );
}

function Usage({ release }: { release: Deployment }) {
  const isAllowed = usePermissions()('deployment:read');
  const { data = [] } = useQuery({ ...usageQuery(release.id), enabled: isAllowed, refetchInterval: pollMs });
  const sum = (pick: (each: (typeof data)[number]) => number | null) =>
    data.reduce((total, each) => total + (pick(each) ?? 0), 0);
  return (
    <>
      <Figure title="CPU">{data.length ? `${sum(({ cpuPercent }) => cpuPercent).toFixed(1)} %` : '–'}</Figure>
      <Figure title="Memory">{data.length ? formatMemory(sum(({ memoryBytes }) => memoryBytes)) : '–'}</Figure>
    </>
  );
}

function Requests({ project: { id } }: { project: Project }) {
  const { data } = useQuery(trafficQuery(id, production, '24h'));
  return (
    <Figure title="Requests, last 24 hours">
      <Link {...toTraffic(id)} className="flex items-end justify-between gap-4 rounded hover:text-accent">
        {data ? countOf(data.totals.requests) : '–'}
        {data && <Sparkline traffic={data} />}
      </Link>
    </Figure>
  );
}

const Figure = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="min-w-0">
    <p className="text-sm text-muted">{title}</p>
    <div className="mt-0.5 text-xl font-semibold tabular-nums">{children}</div>
  </div>
);

/** A compact chart of requests over time. */
function Sparkline({ traffic: { points, from, to, stepSeconds } }: { traffic: Traffic }) {
  const start = Date.parse(from);
  const steps = Math.max(1, Math.ceil((Date.parse(to) - start) / 1000 / stepSeconds));
  const most = Math.max(1, ...points.map(({ requests }) => requests));
  const bars = points.map(({ at, requests }) => ({
    x: Math.floor((Date.parse(at) - start) / 1000 / stepSeconds),
    height: (requests / most) * 20,
  }));
  return (
    <svg viewBox={`0 0 ${steps} 20`} preserveAspectRatio="none" aria-hidden="true" className="h-7 w-28 text-accent">
      {bars.map(({ x, height }) => (
        <rect key={x} x={x} y={20 - height} width={0.8} height={height} fill="currentColor" />
      ))}
    </svg>
  );
}
