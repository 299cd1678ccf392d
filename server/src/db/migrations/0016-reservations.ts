import { type Kysely, sql } from 'kysely';

/** What a deployment needs of a cloud's machine, so that an organization has no more than its share. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['reserved_memory', 'reserved_cpu'])
    await db.schema
      .alterTable('deployments')
      .addColumn(column, 'bigint', (c) => c.notNull().defaultTo(0))
      .execute();
  // The dispatcher looks for the next build every second, and sums up reservations before each start.
  await db.schema
    .createIndex('deployments_by_start')
    .on('deployments')
    .columns(['organization_id', 'started_at'])
    .execute();
  await sql`create index deployments_counted on deployments (organization_id)
    where active = 1 or status in ('building', 'deploying', 'partial_failure')`.execute(db);
}
