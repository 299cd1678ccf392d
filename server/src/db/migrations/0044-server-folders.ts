import type { Kysely } from 'kysely';

/** Local folders that move to another server with its projects. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('servers').addColumn('folder', 'text').execute();
}
