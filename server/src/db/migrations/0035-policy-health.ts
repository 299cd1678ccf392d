import type { Kysely } from 'kysely';

/** The health of a backup policy that was reported last, in place of only the delay. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('backup_policies')
    .addColumn('reported_health', 'text', (c) => c.notNull().defaultTo('never'))
    .execute();
  await db.schema.alterTable('backup_policies').dropColumn('is_late').execute();
}
