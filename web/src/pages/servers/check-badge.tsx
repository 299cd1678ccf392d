import type { ServerCheck } from '../../server-queries.ts';
import { Badge } from '../../ui/badge.tsx';

const titles: Record<NonNullable<ServerCheck['code']>, string> = {
  unreachable: 'Not reached',
  refused: 'Address not allowed',
  timeout: 'No answer in time',
  auth_failed: 'Not let in',
  host_key_changed: 'Another host key',
  misconfigured: 'Key does not work',
  no_commands: 'Runs no commands',
};

/** In a word or two what the last test found. */
export function CheckBadge({ check, isRunning = false }: { check: ServerCheck | null; isRunning?: boolean }) {
  if (isRunning) return <Badge kind="accent">Being tested …</Badge>;
  if (!check) return <Badge>Not tested yet</Badge>;
  if (!check.ok) return <Badge kind="danger">{check.code ? titles[check.code] : 'Does not work'}</Badge>;
  if (!check.engine?.available) return <Badge kind="warn">No engine</Badge>;
  return <Badge kind="good">Works</Badge>;
}
