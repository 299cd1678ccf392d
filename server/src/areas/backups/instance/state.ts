import { databaseNow } from '../../../db/clock.ts';
import type { Database, Db } from '../../../db/database.ts';

/** The backup renews its lease more often than this; after a kill, another replica can take over. */
export const instanceBackupLeaseMs = 60_000;

export const selectBackupState = (db: Db) => db.selectFrom('instance_backups').selectAll().executeTakeFirstOrThrow();

/** Claims the backup for one of several replicas, or renews the claim. True if the owner holds it now. */
export async function claimInstanceBackup({ db, kind }: Database, owner: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('instance_backups')
    .set((eb) => ({ owner, until: eb(databaseNow(kind), '+', instanceBackupLeaseMs) }))
    .where((eb) => eb.or([eb('owner', '=', owner), eb('until', '<', databaseNow(kind))]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const releaseInstanceBackup = (db: Db, owner: string) =>
  db.updateTable('instance_backups').set({ owner: null, until: 0 }).where('owner', '=', owner).execute();

type Outcome = { place: string; bytes: number; lacks: string | null } | { error: string };

const mostNamed = 5;

/** Names the files that a backup does not contain, for people; null if it has all. */
export const missingFilesText = (skipped: string[]): string | null =>
  skipped.length
    ? `${skipped.slice(0, mostNamed).join('; ')}${skipped.length > mostNamed ? ` and ${skipped.length - mostNamed} more` : ''}`
    : null;

export const recordInstanceBackup = (db: Db, outcome: Outcome) =>
  db
    .updateTable('instance_backups')
    .set(
      'error' in outcome
        ? { attemptedAt: Date.now(), error: outcome.error }
        : { attemptedAt: Date.now(), succeededAt: Date.now(), error: null, ...outcome },
    )
    .execute();
