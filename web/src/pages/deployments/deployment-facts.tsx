import type { ReactNode } from 'react';
import type { Deployment } from '../../api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { lengthOf } from '../../times.ts';

const triggers: Record<string, string> = {
  push: 'A push to its branch',
  upload: 'An upload',
  redeploy: 'Deployed again',
  rollback: 'A way back to an earlier release',
  api: 'Somebody, by the API',
};

export function DeploymentFacts({ deployment }: { deployment: Deployment }) {
  const { environment, active, trigger, branch, commitSha, commitMessage, urls, timing } = deployment;
  const rows: [string, ReactNode][] = [
    ['Addresses', urls.length > 0 && <Addresses urls={urls} />],
    ['Environment', environment],
    ['Serves now', active && <Badge kind="good">Yes</Badge>],
    ['Begun by', triggers[trigger] ?? trigger],
    ['Branch', branch && <Mono>{branch}</Mono>],
    ['Commit', commitSha && <Commit sha={commitSha} message={commitMessage} />],
    ['Created', <Time key="created" at={timing.createdAt} />],
    ['Took', timing.totalMs !== null && lengthOf(timing.totalMs)],
  ];
  return (
    <Card className="p-5">
      <dl className="grid gap-x-8 gap-y-1 sm:grid-cols-[auto_1fr] sm:gap-y-2.5">
        {rows
          .filter(([, value]) => Boolean(value))
          .map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-sm text-muted sm:pt-px">{name}</dt>
              <dd className="mb-2 min-w-0 [overflow-wrap:anywhere] sm:mb-0">{value}</dd>
            </div>
          ))}
      </dl>
    </Card>
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

function Addresses({ urls }: { urls: string[] }) {
  return (
    <ul>
      {urls.map((url) => (
        <li key={url}>
          <a href={url} target="_blank" rel="noreferrer" className="rounded text-accent hover:underline">
            {url}
            <span className="sr-only"> (opens in a new tab)</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
