import { z } from '../../../lib/zod/index.ts';
import { storedJson } from '../../../db/stored-json.ts';
import { decodeRecipient } from '../../../lib/archive/age-keys.ts';
import { hasControl } from '../../projects/port.ts';
import { databaseEngineNames } from '../sources/source.ts';

const text = (most: number) =>
  z
    .string()
    .trim()
    .min(1, { error: 'is required' })
    .max(most)
    .refine((value) => !hasControl(value), { error: 'must not have control characters' });

const serviceName = text(100).describe('Service of the compose file; `app` for an app.');

export const PolicySource = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('volume'), volume: text(100) }),
    z.object({
      type: z.literal('database'),
      service: serviceName,
      engine: z.enum(databaseEngineNames).optional().describe('Found by the image if left out.'),
      database: text(200).optional().describe('Name of the database, or path of a SQLite file in its volume.'),
    }),
    z.object({ type: z.literal('files'), service: serviceName, path: text(1000) }),
  ])
  .meta({ id: 'BackupSource' });

const count = z.number().int().min(0).max(1000).default(0);

const Retention = z
  .object({ last: count, daily: count, weekly: count, monthly: count })
  .refine(({ last, daily, weekly, monthly }) => last + daily + weekly + monthly > 0, {
    error: 'must keep at least one backup',
  })
  .describe('Backups to keep: the last ones, and the newest of each day, week and month.');

const Encryption = z
  .object({
    enabled: z.boolean().default(true),
    recipients: z
      .array(
        z.string().refine((value) => decodeRecipient(value) !== undefined, { error: 'must be an age key: age1...' }),
      )
      .max(10)
      .optional()
      .describe('Further age keys that can decrypt the archives.'),
  })
  .refine(({ enabled, recipients }) => enabled || !recipients?.length, {
    error: 'recipients need encryption',
    path: ['recipients'],
  });

const command = text(2000);
const Hooks = z
  .object({
    before: command.optional().describe('Command that runs in the service before the backup.'),
    after: command.optional().describe('Command that runs after it, also after a failure.'),
    service: serviceName.optional(),
  })
  .describe('Commands around each backup.');

const Drill = z
  .object({
    schedule: text(100),
    query: text(2000).optional().describe('Read-only query whose result is recorded. Counts all rows if left out.'),
  })
  .nullable()
  .describe('Scheduled restores into a scratch place, which prove that the backups work.');

/** Settings of a policy, as requested and as stored. */
export const settingsFields = {
  sources: z
    .union([z.literal('all'), z.array(PolicySource).min(1).max(100)])
    .default('all')
    .describe('`all`: every volume and database, also those that are added later.'),
  schedule: text(100).describe('Cron expression of five fields.'),
  timezone: text(100).default('UTC'),
  destinationIds: z.array(z.string().max(100)).min(1, { error: 'must name a destination' }).max(5),
  retention: Retention,
  encryption: Encryption.default({ enabled: true }),
  hooks: Hooks.default({}),
  drill: Drill.default(null),
  consistency: z
    .enum(['check', 'pause'])
    .default('check')
    .describe('`check`: read again if files changed meanwhile. `pause`: services are paused while a volume is read.'),
  bandwidthLimit: z
    .number()
    .int()
    .min(65_536)
    .nullable()
    .default(null)
    .describe('Bytes per second that are sent to each destination; null for no limit.'),
};

export const PolicySettings = z.object(settingsFields);
export type PolicySettings = z.infer<typeof PolicySettings>;

const readSettings = storedJson('backup_policies.settings', z.custom<PolicySettings>());
export const settingsIn = ({ settings }: { settings: string }): PolicySettings => readSettings(settings);
