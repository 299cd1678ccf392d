import type { Deployment } from '../../api.ts';
import { Badge } from '../../ui/badge.tsx';

type Status = Deployment['status'];
type Kind = Parameters<typeof Badge>[0]['kind'];

const looks: Record<Status, [title: string, kind: Kind]> = {
  queued: ['Queued', 'plain'],
  building: ['Building', 'accent'],
  deploying: ['Deploying', 'accent'],
  ready: ['Ready', 'good'],
  failed: ['Failed', 'danger'],
  cancelled: ['Cancelled', 'plain'],
  partial_failure: ['Action required', 'warn'],
  rejected: ['Rejected', 'danger'],
};

export const statusTitle = (status: Status): string => looks[status][0];

export function StatusBadge({ deployment: { status, decision } }: { deployment: Deployment }) {
  const isGoingBack = status === 'deploying' && decision === 'rejected';
  const [title, kind] = isGoingBack ? (['Rolling back', 'accent'] as const) : looks[status];
  return <Badge kind={kind}>{title}</Badge>;
}
