import type { ServerCheck } from '../../server-queries.ts';
import { Badge } from '../../ui/badge.tsx';

const titles: Record<NonNullable<ServerCheck['code']>, string> = {
  unreachable: 'Unreachable',
  refused: 'Address not allowed',
  timeout: 'Timed out',
  auth_failed: 'Sign-in failed',
  host_key_changed: 'Host key changed',
  misconfigured: 'Invalid key',
  no_commands: 'No shell',
};

/** The result of the last test in a word or two. */
export function CheckBadge({ check, isRunning = false }: { check: ServerCheck | null; isRunning?: boolean }) {
  if (isRunning) return <Badge kind="accent">Testing …</Badge>;
  if (!check) return <Badge>Not tested yet</Badge>;
  if (!check.ok) return <Badge kind="danger">{check.code ? titles[check.code] : 'Failed'}</Badge>;
  if (!check.engine?.available) return <Badge kind="warn">No Docker</Badge>;
  return <Badge kind="good">Ready</Badge>;
}
