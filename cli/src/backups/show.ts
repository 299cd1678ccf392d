import { formatBytes } from '@mooring/client';
import type { Column } from '../output.ts';
import { aligned, plainText, shortTime } from '../output.ts';
import { age, ago } from '../format.ts';
import { type Backup, type Destination, type Policy, type Restore } from './find.ts';
import { durationWords } from './follow.ts';
import { sourceText } from './source-names.ts';

export type NamesById = Map<string, string>;
export const namesById = (things: { id: string; name: string }[]): NamesById =>
  new Map(things.map(({ id, name }) => [id, name]));

/** Health in a sentence that says what to do. */
export const healthWords = ({ health, lastRun, name }: Policy): string =>
  ({
    ok: 'ok',
    late: 'late: a scheduled backup is missing; check that Mooring was running, then run it now',
    failing: `failing: ${lastRun?.error?.message ?? 'the last run failed'}`,
    never: `no backup yet; run it now: mooring backup run ${name}`,
  })[health];

const projectColumn = (projects: NamesById): Column<{ projectId: string | null }> => ({
  heading: 'PROJECT',
  value: ({ projectId }) => (projectId === null ? '-' : (projects.get(projectId) ?? `deleted (${projectId})`)),
});

export const policyColumns = (projects: NamesById): Column<Policy>[] => [
  { heading: 'NAME', value: ({ name }) => name },
  projectColumn(projects),
  { heading: 'HEALTH', value: ({ health }) => health },
  { heading: 'LAST SUCCESS', value: ({ lastSuccessAt }) => (lastSuccessAt ? ago(lastSuccessAt) : 'never') },
  { heading: 'LAST PROVEN', value: ({ lastDrillAt }) => (lastDrillAt ? ago(lastDrillAt) : 'never') },
  { heading: 'NEXT RUN', value: ({ nextRunAt, enabled }) => (enabled ? shortTime(nextRunAt) : 'disabled') },
  { heading: 'ID', value: ({ id }) => id },
];

const facts = (lines: [name: string, value: string | null][]): string => {
  const shown = lines.filter((line): line is [string, string] => line[1] !== null);
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => aligned([name, plainText(value)], [width])).join('\n');
};

export function policyLines(policy: Policy, project: string, destinations: NamesById): string {
  const { sources, retention, encryption, hooks, drill, consistency, bandwidthLimit } = policy;
  const kept = (['last', 'daily', 'weekly', 'monthly'] as const).filter((kind) => retention[kind]);
  const others = encryption.recipients?.length ? ` and ${encryption.recipients.join(', ')}` : '';
  return facts([
    ['ID', policy.id],
    ['Name', policy.name],
    ['Project', policy.environment === 'production' ? project : `${project}, ${policy.environment}`],
    ['Health', healthWords(policy)],
    ['Sources', sources === 'all' ? 'all volumes and databases' : sources.map(sourceText).join(', ')],
    ['Schedule', `${policy.schedule} (${policy.timezone})`],
    ['Next run', policy.enabled ? shortTime(policy.nextRunAt) : 'disabled'],
    ['Last success', shortTime(policy.lastSuccessAt, 'never')],
    ['Destinations', policy.destinationIds.map((id) => destinations.get(id) ?? id).join(', ')],
    ['Keeps', kept.map((kind) => `${kind} ${retention[kind]}`).join(', ')],
    ['Encryption', encryption.enabled ? `the backup key${others}` : 'off'],
    ['Drill', drill ? `${drill.schedule}${drill.query ? `, ${drill.query}` : ''}` : 'none'],
    ['Last proven', shortTime(policy.lastDrillAt, 'never')],
    ['Before', hooks.before ?? null],
    ['After', hooks.after ?? null],
    ['Consistency', consistency === 'pause' ? 'services are paused while volumes are read' : null],
    ['Bandwidth', bandwidthLimit === null ? null : `${formatBytes(bandwidthLimit)}/s`],
  ]);
}

export const backupColumns = (projects: NamesById, policies: NamesById): Column<Backup>[] => [
  { heading: 'ID', value: ({ id, pinned }) => `${id}${pinned ? ' (pinned)' : ''}` },
  projectColumn(projects),
  { heading: 'POLICY', value: ({ policyId }) => policies.get(policyId ?? '') ?? '-' },
  { heading: 'STATUS', value: ({ status }) => status },
  { heading: 'TRIGGER', value: ({ trigger }) => trigger },
  { heading: 'SIZE', value: ({ bytes }) => formatBytes(bytes) },
  { heading: 'AGE', value: ({ createdAt }) => age(createdAt) },
];

export function backupLines(backup: Backup, destinations: Destination[]): string {
  const names = namesById(destinations);
  const { progress, error } = backup;
  const isRunning = backup.finishedAt === null;
  const lines = facts([
    ['ID', backup.id],
    ['Status', `${backup.status}${backup.status === 'completed' ? durationWords(backup) : ''}`],
    ['Progress', isRunning ? `${progress.phase}, ${formatBytes(progress.bytesDone)}` : null],
    ['Error', error && `${error.message}. ${error.hint}`],
    ['Trigger', backup.trigger],
    ['Created', shortTime(backup.createdAt)],
    ['Pinned', backup.pinned ? 'yes' : null],
    ['Size', formatBytes(backup.bytes)],
  ]);
  const archives = backup.archives.map(({ name, destinationId, bytes, contentBytes, key, encrypted }) =>
    [
      `${name}: ${formatBytes(bytes)} (${formatBytes(contentBytes)} of data${encrypted ? ', encrypted' : ''})`,
      `  ${names.get(destinationId) ?? destinationId}: ${key}`,
    ]
      .map(plainText)
      .join('\n'),
  );
  return archives.length ? `${lines}\n\n${archives.join('\n')}` : lines;
}

export const restoreColumns = (projects: NamesById): Column<Restore>[] => [
  { heading: 'ID', value: ({ id }) => id },
  projectColumn(projects),
  { heading: 'KIND', value: ({ kind, undoOf }) => (undoOf ? 'undo' : kind) },
  { heading: 'TARGET', value: ({ target }) => target },
  { heading: 'STATUS', value: ({ status }) => status },
  { heading: 'BACKUP', value: ({ backupId }) => backupId },
  { heading: 'AGE', value: ({ createdAt }) => age(createdAt) },
];

export function restoreLines(restore: Restore): string {
  const { progress, error, undoOf, beforeBackupId } = restore;
  return facts([
    ['ID', restore.id],
    ['Kind', undoOf ? `undo of ${undoOf}` : restore.kind],
    ['Status', `${restore.status}${restore.status === 'completed' ? durationWords(restore) : ''}`],
    ['Progress', restore.finishedAt === null ? `${progress.phase}, ${formatBytes(progress.bytesDone)}` : null],
    ['Error', error && `${error.message}. ${error.hint}`],
    ['Backup', restore.backupId],
    ['Target', restore.target],
    ['Backup before', beforeBackupId],
    ['Created', shortTime(restore.createdAt)],
  ]);
}
