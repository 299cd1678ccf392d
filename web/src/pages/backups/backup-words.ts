import { formatBytes } from '@mooring/client';
import type { Backup, BackupSource, Policy, Restore } from '../../backup-queries.ts';
import type { Badge } from '../../ui/badge.tsx';

type Look = [title: string, kind: Parameters<typeof Badge>[0]['kind']];

export const statusLooks: Record<Backup['status'], Look> = {
  queued: ['Queued', 'plain'],
  running: ['Running', 'accent'],
  verifying: ['Verifying', 'accent'],
  completed: ['Completed', 'good'],
  failed: ['Failed', 'danger'],
  cancelled: ['Cancelled', 'plain'],
};

export const healthLooks: Record<Policy['health'], Look> = {
  ok: ['Healthy', 'good'],
  late: ['Late', 'warn'],
  failing: ['Failing', 'danger'],
  never: ['No backup yet', 'plain'],
};

/** What to do about the health of a policy; undefined if there is nothing to do. */
export function remedyFor({ health, enabled, lastRun }: Policy): string | undefined {
  if (health === 'failing') return lastRun?.error?.hint || 'Open the last run for the reason, then run it again.';
  if (health === 'late') return 'A scheduled backup is missing. Check that Mooring was running, and run it now.';
  if (!enabled) return 'The policy is disabled: it runs only when you run it.';
  if (health === 'never') return 'Run it now, so that you know that it works.';
  return undefined;
}

export const triggerWords: Record<Backup['trigger'], string> = {
  schedule: 'Schedule',
  manual: 'Manual',
  'before-restore': 'Before a restore',
};

export const targetWords: Record<Restore['target'], string> = {
  'in-place': 'In place',
  'new-volume': 'New volumes and databases',
  scratch: 'Scratch place',
};

export const kindOfRestore = ({ kind, undoOf }: Restore): string =>
  kind === 'drill' ? 'Drill' : undoOf ? 'Undo' : 'Restore';

/** `12 files, 3.1 MB`: the result of a proof, in which the API counts bytes. */
export const proofWords = (result: string): string =>
  result.replaceAll(
    /(\d+ files?), (\d+) bytes/g,
    (_, files: string, bytes: string) => `${files}, ${formatBytes(Number(bytes))}`,
  );

/** `volume uploads`, `database shop of db`. */
export function sourceTitle(source: BackupSource): string {
  if (source.type === 'volume') return `Volume ${source.volume}`;
  if (source.type === 'files') return `Files ${source.path} of ${source.service}`;
  return source.database ? `Database ${source.database} of ${source.service}` : `Database of ${source.service}`;
}

export function retentionWords({ retention }: Pick<Policy, 'retention'>): string {
  const { last, daily, weekly, monthly } = retention;
  return [
    last && `last ${last}`,
    daily && `${daily} daily`,
    weekly && `${weekly} weekly`,
    monthly && `${monthly} monthly`,
  ]
    .filter(Boolean)
    .join(', ');
}
