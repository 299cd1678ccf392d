import type { Kysely } from 'kysely';

/** Backups of the instance itself: one row with the lease of the replica that makes one, and the last outcome. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('instance_backups')
    .addColumn('singleton', 'integer', (c) => c.primaryKey())
    .addColumn('owner', 'text')
    .addColumn('until', 'bigint', (c) => c.notNull())
    .addColumn('attempted_at', 'bigint')
    .addColumn('succeeded_at', 'bigint')
    .addColumn('place', 'text')
    .addColumn('bytes', 'bigint')
    .addColumn('error', 'text')
    .execute();
  const any = db as Kysely<{ instance_backups: { singleton: number; until: number } }>;
  await any.insertInto('instance_backups').values({ singleton: 1, until: 0 }).execute();
}
