import { type Kysely, sql } from 'kysely';

/** To which cloud a project was taken, and until when a promotion holds it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('projects').addColumn('cloud_at', 'text').execute();
  await db.schema.alterTable('projects').addColumn('cloud_busy_until', 'bigint').execute();
  // A link was not changed while something lived there.
  await sql`update projects set cloud_at = (
    select url || ' ' || cloud_organization_id from cloud_links where cloud_links.organization_id = projects.organization_id
  ) where cloud_state = 'there'`.execute(db);
}
