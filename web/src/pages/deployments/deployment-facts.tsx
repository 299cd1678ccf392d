import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Deployment, projectQuery } from '../../api.ts';
import { toProject } from '../../paths.ts';
import { useMay } from '../../permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Addresses } from '../../ui/outside-link.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Time } from '../../ui/time.tsx';
import { lengthOf } from '../../times.ts';
import { RunsOn } from '../cloud/runs-on.tsx';

const triggers: Record<string, string> = {
  push: 'A push to its branch',
  upload: 'An upload',
  redeploy: 'Deployed again',
  rollback: 'A way back to an earlier release',
  api: 'Somebody, by the API',
};

export function DeploymentFacts({ deployment }: { deployment: Deployment }) {
  const may = useMay();
  const {
    projectId,
    environment,
    active,
    trigger,
    branch,
    commitSha,
    commitMessage,
    urls,
    timing,
    serverId,
    deployTarget,
  } = deployment;
  const rows: [string, ReactNode][] = [
    ['Project', may('project:read') && <ProjectLink id={projectId} />],
    ['Addresses', urls.length > 0 && <Addresses urls={urls} />],
    ['Runs on', <RunsOn key="place" target={deployTarget} serverId={serverId} />],
    ['Environment', environment],
    ['Serves now', active && <Badge kind="good">Yes</Badge>],
    ['Begun by', triggers[trigger] ?? trigger],
    ['Branch', branch && <Mono>{branch}</Mono>],
    ['Commit', commitSha && <Commit sha={commitSha} message={commitMessage} />],
    ['Created', <Time key="created" at={timing.createdAt} />],
    ['Took', timing.totalMs !== null && lengthOf(timing.totalMs)],
  ];
  return <Facts rows={rows} />;
}

/** By its name, where that is known. */
function ProjectLink({ id }: { id: string }) {
  const { data } = useQuery(projectQuery(id));
  return (
    <Link {...toProject(id)} className="rounded text-accent hover:underline">
      {data?.name ?? id}
    </Link>
  );
}

const Mono = ({ children }: { children: ReactNode }) => (
  <span className="font-mono text-[0.8125rem] [overflow-wrap:anywhere]">{children}</span>
);

function Commit({ sha, message }: { sha: string; message: string | null }) {
  return (
    <span title={sha}>
      <Mono>{sha.slice(0, 12)}</Mono> {message?.split('\n', 1)[0]}
    </span>
  );
}
