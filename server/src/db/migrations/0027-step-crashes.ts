import type { Kysely } from 'kysely';

/** Which process runs a step, and how often one ended uncleanly during it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('deployment_steps').addColumn('process', 'text').execute();
  await db.schema
    .alterTable('deployment_steps')
    .addColumn('crashes', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
