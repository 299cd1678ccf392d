import type { Job, Policy } from '../../backup-queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { healthLooks, statusLooks } from './backup-words.ts';

export function JobBadge({ status }: Pick<Job, 'status'>) {
  const [title, kind] = statusLooks[status];
  return <Badge kind={kind}>{title}</Badge>;
}

export function HealthBadge({ health }: Pick<Policy, 'health'>) {
  const [title, kind] = healthLooks[health];
  return <Badge kind={kind}>{title}</Badge>;
}
