import type { Deployment } from '../../api.ts';
import { Badge } from '../../ui/badge.tsx';

type Status = Deployment['status'];
type Kind = Parameters<typeof Badge>[0]['kind'];

const looks: Record<Status, [title: string, kind: Kind]> = {
  queued: ['Waiting', 'plain'],
  building: ['Building', 'accent'],
  deploying: ['Being released', 'accent'],
  ready: ['Ready', 'good'],
  failed: ['Failed', 'danger'],
  cancelled: ['Cancelled', 'plain'],
  partial_failure: ['Waits for a decision', 'warn'],
  rejected: ['Rejected', 'danger'],
};

export function StatusBadge({ deployment: { status, decision } }: { deployment: Deployment }) {
  const isGoingBack = status === 'deploying' && decision === 'rejected';
  const [title, kind] = isGoingBack ? (['Going back', 'accent'] as const) : looks[status];
  return <Badge kind={kind}>{title}</Badge>;
}
