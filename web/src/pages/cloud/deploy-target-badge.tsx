import type { Project } from '../../api.ts';
import { useIsSelfHosted } from '../../cloud-queries.ts';
import { Badge } from '../../ui/badge.tsx';

type Kind = Parameters<typeof Badge>[0]['kind'];

const looks: Record<Project['deployTarget'], [title: string, kind: Kind]> = {
  local: ['This machine', 'plain'],
  server: ['Server', 'plain'],
  cloud: ['Cloud', 'accent'],
};

/** Where a resource lives. Hidden in a cloud, where everything lives in the cloud. */
export function DeployTargetBadge({ target }: { target: string }) {
  const [title, kind] = looks[target as Project['deployTarget']] ?? [target, 'plain'];
  return useIsSelfHosted() ? <Badge kind={kind}>{title}</Badge> : null;
}

/** For lists: shows a badge only for resources that live elsewhere. */
export const CloudBadge = ({ target }: { target: string }) =>
  target === 'local' ? null : <DeployTargetBadge target={target} />;
