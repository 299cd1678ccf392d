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

export function StatusBadge({ status }: { status: Status }) {
  const [title, kind] = looks[status];
  return <Badge kind={kind}>{title}</Badge>;
}
