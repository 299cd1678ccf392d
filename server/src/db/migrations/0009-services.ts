import type { Kysely } from 'kysely';

/** Deployments of several services: what they are made of, and where each stands. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('deployments').addColumn('stack', 'text').execute();
  await db.schema.alterTable('deployments').addColumn('services', 'text').execute();
}
