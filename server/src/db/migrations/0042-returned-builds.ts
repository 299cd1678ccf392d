import type { Kysely } from 'kysely';

/** Counts the workers that gave a build back, apart from those that were killed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('builds')
    .addColumn('returned', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}
