import type { Kysely } from 'kysely';

/** Adds the sealed password of the registry that Mooring runs for a Swarm. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('instance').addColumn('registry_password', 'text').execute();
}
