import { z } from '../lib/zod/index.ts';

/** Increased when an older Mooring could not restore the archive correctly. */
export const archiveFormat = 1;

export const manifestName = 'manifest.json';
/** The last entry: folders change while they are read, so their sums are known only afterwards. */
export const sumsName = 'sums.json';

/** The first entry of an instance backup, so that a restore can refuse early. */
export const Manifest = z.object({
  format: z.number(),
  mooring: z.string().describe('Version that made the backup.'),
  instanceId: z.string(),
  database: z.enum(['sqlite', 'postgres']),
  schema: z.string().describe('The last migration of the database.'),
  createdAt: z.string(),
  dataDir: z.string(),
  owner: z
    .object({ uid: z.number(), gid: z.number() })
    .describe('User of the service, which may have another number on a new machine.'),
  withVolumes: z.boolean().describe('Whether it contains the volumes of process apps.'),
  keyCheck: z.string().describe('Sealed with the instance key, so that a restore can test the key.'),
  parts: z.array(
    z.object({ name: z.string(), bytes: z.number(), sha256: z.string().optional().describe('Of a single file.') }),
  ),
});
export type Manifest = z.infer<typeof Manifest>;

export const Sums = z.object({
  parts: z.array(z.object({ name: z.string(), entries: z.number(), bytes: z.number(), sha256: z.string() })),
});
export type Sums = z.infer<typeof Sums>;

/** The part of a backup that an entry belongs to: `data/releases/...` is of `releases`. */
export function backupPartOf(path: string): string {
  const [top = '', second = '', third] = path.split('/');
  if (top !== 'data') return top.startsWith('settings') ? 'settings' : 'database';
  if (third === undefined && second === 'mooring.db') return 'database';
  return third === undefined && /\.(key|id)$/.test(second) ? 'keys' : second;
}
