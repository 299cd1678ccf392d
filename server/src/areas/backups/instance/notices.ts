import type { Db } from '../../../db/database.ts';

/** Without a backup for this long, the instance owner is told. */
const lateMs = 3 * 86_400_000;

/** Returns what the instance owner should know about the backups of the instance itself. */
export async function backupNotices(db: Db): Promise<string[]> {
  const { error, lacks, succeededAt, createdAt } = await db
    .selectFrom('instance_backups')
    .leftJoin('instance', (join) => join.onTrue())
    .select(['error', 'lacks', 'succeededAt', 'createdAt'])
    .executeTakeFirstOrThrow();
  const fix = 'Run `mooring doctor` on the machine that runs Mooring.';
  if (error !== null) return [`The last backup of this instance failed: ${error}. ${fix}`];
  if (lacks !== null) return [`The last backup of this instance lacks files: ${lacks}. ${fix}`];
  const days = Math.floor((Date.now() - (succeededAt ?? createdAt ?? Date.now())) / 86_400_000);
  return days * 86_400_000 > lateMs ? [`This instance has not been backed up for ${days} days. ${fix}`] : [];
}
