import type { Kysely } from 'kysely';

/** What a deployment that runs as a container was built as. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('deployments').addColumn('image', 'text').execute();
  await db.schema.alterTable('deployments').addColumn('image_digest', 'text').execute();
}
