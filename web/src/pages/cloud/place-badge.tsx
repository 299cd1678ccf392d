import type { Project } from '../../api.ts';
import { useIsSelfHosted } from '../../cloud-queries.ts';
import { Badge } from '../../ui/badge.tsx';

type Kind = Parameters<typeof Badge>[0]['kind'];

const looks: Record<Project['deployTarget'], [title: string, kind: Kind]> = {
  local: ['This machine', 'plain'],
  server: ['Server', 'plain'],
  cloud: ['Cloud', 'accent'],
};

/** Where something lives. In a cloud everything does, so that it is not worth saying. */
export function PlaceBadge({ target }: { target: string }) {
  const [title, kind] = looks[target as Project['deployTarget']] ?? [target, 'plain'];
  return useIsSelfHosted() ? <Badge kind={kind}>{title}</Badge> : null;
}

/** The same in a list, where only what is elsewhere is worth a badge. */
export const ElsewhereBadge = ({ target }: { target: string }) =>
  target === 'local' ? null : <PlaceBadge target={target} />;
