import { type Deployment, isUnfinishedDeployment } from '../../api.ts';
import { Badge } from '../../ui/badge.tsx';
import { StatusBadge } from '../deployments/status-badge.tsx';

type Props = { latest: Deployment; isServing: boolean };

/** Whether a release serves. A failed deployment does not change that: the previous release keeps serving. */
export function ServingBadge({ latest, isServing }: Props) {
  if (isServing) return <Badge kind="good">Serving</Badge>;
  return latest.status === 'ready' ? <Badge>Not serving</Badge> : <StatusBadge deployment={latest} />;
}

/** The status of the newest deployment, if another release serves. */
export function LastDeploymentBadge({ latest, isServing }: Props) {
  if (!isServing || latest.status === 'ready') return null;
  if (isUnfinishedDeployment(latest)) return <StatusBadge deployment={latest} />;
  return <Badge kind={latest.status === 'failed' ? 'warn' : 'plain'}>Last deployment {latest.status}</Badge>;
}
