import { z } from '../../../lib/zod/index.ts';
import { isoTime, isoTimeOrNull, timeField } from '../../../http/responses.ts';
import { hasControl } from '../../projects/port.ts';
import { storedJson } from '../../../db/stored-json.ts';
import { BackupFailure } from '../jobs/schemas.ts';
import { nextTime } from './schedule.ts';
import { settingsFields, settingsIn } from './settings.ts';
import type { PolicyRow } from './store.ts';
import type { PolicyHealth } from '../../../db/tables.ts';

const name = z
  .string()
  .trim()
  .min(1, { error: 'is required' })
  .max(80, { error: 'must be at most 80 characters' })
  .refine((text) => !hasControl(text), { error: 'must not have control characters' });

export const PolicyBody = z
  .object({
    name,
    projectId: z.string().max(100).optional(),
    scope: z.literal('instance').optional().describe('Instead of a project: Mooring itself. For the instance owner.'),
    environment: z.string().min(1).max(100).default('production'),
    enabled: z.boolean().default(true),
    ...settingsFields,
  })
  .meta({ id: 'BackupPolicyBody' });
export type PolicyBody = z.infer<typeof PolicyBody>;

/** Every field is optional, and a missing one stays. */
export const PolicyChange = z.object({
  name: name.optional(),
  enabled: z.boolean().optional(),
  sources: settingsFields.sources.unwrap().optional(),
  schedule: settingsFields.schedule.optional(),
  timezone: settingsFields.timezone.unwrap().optional(),
  destinationIds: settingsFields.destinationIds.optional(),
  retention: settingsFields.retention.optional(),
  encryption: settingsFields.encryption.unwrap().optional(),
  hooks: settingsFields.hooks.unwrap().optional(),
  drill: settingsFields.drill.unwrap().optional(),
  consistency: settingsFields.consistency.unwrap().optional(),
  bandwidthLimit: settingsFields.bandwidthLimit.unwrap().optional(),
});
export type PolicyChange = z.infer<typeof PolicyChange>;

const LastRun = z.object({
  id: z.string(),
  status: z.string(),
  finishedAt: timeField.nullable(),
  error: BackupFailure.nullable(),
});
export type LastRun = z.infer<typeof LastRun>;
const readLastRun = storedJson('backup_policies.lastRun', LastRun);
export const lastRunOf = (row: PolicyRow): LastRun | null => readLastRun(row.lastRun);

export const Policy = z
  .object({
    id: z.string(),
    name: z.string(),
    projectId: z.string().nullable(),
    scope: z.enum(['project', 'instance']),
    environment: z.string(),
    enabled: z.boolean(),
    ...settingsFields,
    nextRunAt: timeField.nullable(),
    lastRun: LastRun.nullable().describe('The newest run. `error` is of the last run that ended, until one completes.'),
    lastSuccessAt: timeField.nullable(),
    lastDrillAt: timeField.nullable().describe('Last proven restore.'),
    health: z
      .enum(['ok', 'late', 'failing', 'never'])
      .describe('`late`: a scheduled backup is missing. `failing`: the last run failed. `never`: none has run yet.'),
    createdAt: timeField,
  })
  .meta({ id: 'BackupPolicy' });

/** A run may take this long after its time before it counts as late. */
const graceMs = 3_600_000;

export function policyHealthOf(row: PolicyRow, now = Date.now()): PolicyHealth {
  if (lastRunOf(row)?.error) return 'failing';
  const { schedule, timezone } = settingsIn(row);
  // Runs from before the last change are not missing: the policy may have been disabled, or had another schedule.
  const due = nextTime(schedule, timezone, Math.max(row.lastSuccessAt ?? 0, row.updatedAt));
  if (row.enabled && due !== null && due + graceMs < now) return 'late';
  return row.lastSuccessAt === null ? 'never' : 'ok';
}

export function presentPolicy(row: PolicyRow): z.infer<typeof Policy> {
  const { id, name: shown, projectId, environment, enabled, nextRunAt, lastSuccessAt, lastDrillAt, createdAt } = row;
  return {
    id,
    name: shown,
    projectId,
    scope: projectId === null ? 'instance' : 'project',
    environment,
    enabled: enabled === 1,
    ...settingsIn(row),
    nextRunAt: isoTimeOrNull(enabled ? nextRunAt : null),
    lastRun: lastRunOf(row),
    lastSuccessAt: isoTimeOrNull(lastSuccessAt),
    lastDrillAt: isoTimeOrNull(lastDrillAt),
    health: policyHealthOf(row),
    createdAt: isoTime(createdAt),
  };
}
