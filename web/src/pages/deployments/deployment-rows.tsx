import { Link } from '@tanstack/react-router';
import type { Deployment } from '../../api.ts';
import { toDeployment } from '../../paths.ts';
import { Card } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { ElsewhereBadge } from '../cloud/place-badge.tsx';
import { StatusBadge } from './status-badge.tsx';

type Props = { deployments: Deployment[]; titleOf: (deployment: Deployment) => string };

/** Deployments, each of which leads to its page. */
export function DeploymentRows({ deployments, titleOf }: Props) {
  return (
    <Card className="overflow-hidden">
      <ul className="divide-y divide-line">
        {deployments.map((deployment) => (
          <li key={deployment.id}>
            <Row deployment={deployment} title={titleOf(deployment)} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Row({ deployment, title }: { deployment: Deployment; title: string }) {
  const { id, environment, branch, commitMessage, timing } = deployment;
  const what = [environment, branch, commitMessage?.split('\n', 1)[0]].filter(Boolean).join(' · ');
  return (
    <Link
      {...toDeployment(id)}
      className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 px-5 py-3 hover:bg-sunken"
    >
      <span className="min-w-0 flex-1 basis-56">
        <span className="block truncate font-medium">{title}</span>
        <span className="block truncate text-sm text-muted">{what}</span>
      </span>
      <span className="flex items-center gap-3 text-sm text-muted">
        <ElsewhereBadge target={deployment.deployTarget} />
        <StatusBadge deployment={deployment} />
        <Time at={timing.createdAt} />
      </span>
    </Link>
  );
}
