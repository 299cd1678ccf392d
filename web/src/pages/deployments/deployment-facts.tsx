import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Deployment, projectQuery } from '../../api.ts';
import { toDeployment, toProject } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { Facts } from '../../ui/facts.tsx';
import { Time } from '../../ui/time.tsx';
import { formatDuration } from '../../times.ts';
import { RunsOn } from '../cloud/runs-on.tsx';
import { ReleaseAddresses } from '../domains/addresses.tsx';
import { Mono } from './mono.tsx';
import { triggerTitle } from './triggers.ts';

export function DeploymentFacts({ deployment }: { deployment: Deployment }) {
  const may = usePermissions();
  const { projectId, environment, branch, commitSha, commitMessage, urls, timing, serverId, deployTarget } = deployment;
  const rows: [string, ReactNode, 'wide'?][] = [
    ['Project', may('project:read') && <ProjectLink id={projectId} />],
    ['Environment', environment],
    ['Server', <RunsOn key="place" target={deployTarget} serverId={serverId} />],
    ['Triggered by', <Trigger key="trigger" deployment={deployment} />],
    ['Created', <Time key="created" at={timing.createdAt} />],
    ['Duration', timing.totalMs !== null && formatDuration(timing.totalMs)],
    ['Branch', branch && <Mono>{branch}</Mono>],
    ['Commit', commitSha && <Commit sha={commitSha} message={commitMessage} />, 'wide'],
    ['Addresses', urls.length > 0 && <ReleaseAddresses projectId={projectId} urls={urls} />, 'wide'],
  ];
  return <Facts compact rows={rows} />;
}

/** Shows the name once it is known. */
function ProjectLink({ id }: { id: string }) {
  const { data } = useQuery(projectQuery(id));
  return (
    <Link {...toProject(id)} className="rounded text-accent hover:underline">
      {data?.name ?? id}
    </Link>
  );
}

function Trigger({ deployment: { trigger, rollbackOf, redeployOf } }: { deployment: Deployment }) {
  const origin = rollbackOf ?? redeployOf;
  return (
    <>
      {triggerTitle(trigger)}
      {origin && (
        <>
          {rollbackOf ? ' to ' : ' of '}
          <Link {...toDeployment(origin)} title={origin} className="rounded text-accent hover:underline">
            another deployment
          </Link>
        </>
      )}
    </>
  );
}

function Commit({ sha, message }: { sha: string; message: string | null }) {
  return (
    <span title={sha}>
      <Mono>{sha.slice(0, 12)}</Mono> {message?.split('\n', 1)[0]}
    </span>
  );
}
