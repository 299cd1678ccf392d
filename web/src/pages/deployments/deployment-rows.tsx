import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Deployment } from '../../api.ts';
import { toDeployment } from '../../paths.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { CloudBadge } from '../cloud/deploy-target-badge.tsx';
import { StatusBadge } from './status-badge.tsx';
import { triggerTitle } from './triggers.ts';

type Props = {
  deployments: Deployment[];
  /** The title of a row; defaults to its commit or trigger. */
  titleOf?: (deployment: Deployment) => string;
  /** At the end of each row, such as a menu. */
  actionsOf?: (deployment: Deployment) => ReactNode;
};

/** Deployments, each linked to its page. */
export function DeploymentRows({ deployments, titleOf = rowTitle, actionsOf }: Props) {
  return (
    <Card className="overflow-hidden">
      <ul className="divide-y divide-line">
        {deployments.map((deployment) => (
          <li key={deployment.id} className="flex items-center hover:bg-sunken">
            <Row deployment={deployment} title={titleOf(deployment)} />
            {actionsOf && <span className="pr-3">{actionsOf(deployment)}</span>}
          </li>
        ))}
      </ul>
    </Card>
  );
}

const rowTitle = ({ commitMessage, trigger }: Deployment): string =>
  commitMessage?.split('\n', 1)[0] || triggerTitle(trigger);

function Row({ deployment, title }: { deployment: Deployment; title: string }) {
  const { id, environment, branch, commitSha, commitMessage, timing, active, pinned } = deployment;
  const commit = [commitSha?.slice(0, 7), commitMessage?.split('\n', 1)[0]].filter((part) => part && part !== title);
  const what = [environment, branch, commit.join(' ') || id].filter(Boolean).join(' · ');
  return (
    <Link
      {...toDeployment(id)}
      className="flex min-w-0 flex-1 flex-wrap items-center justify-between gap-x-6 gap-y-1 px-5 py-3 -outline-offset-2"
    >
      <span className="min-w-0 flex-1 basis-56">
        <span className="block truncate font-medium">{title}</span>
        <span className="block truncate text-sm text-muted">{what}</span>
      </span>
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-muted">
        <CloudBadge target={deployment.deployTarget} />
        {pinned && <Badge>Pinned</Badge>}
        {active && <Badge kind="good">Active</Badge>}
        <StatusBadge deployment={deployment} />
        <span className="ml-1">
          <Time at={timing.createdAt} />
        </span>
      </span>
    </Link>
  );
}
