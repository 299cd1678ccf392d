import type { Kysely } from 'kysely';

/** Work that goes on after its request was answered, and after a kill. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('background_tasks')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('details', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
}
