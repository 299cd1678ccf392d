import { type Kysely, sql } from 'kysely';

/**
 * Upkeep asks for the deployments of each server every few seconds, and which artifacts are still needed; each replica
 * asks for abandoned deployments every second.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index deployments_by_server on deployments (server_id) where active = 1 or artifact_kept = 1
    or status in ('building', 'deploying', 'partial_failure')`.execute(db);
  await sql`create index deployments_leased on deployments (lease_until) where lease_owner is not null`.execute(db);
  await db.schema.createIndex('deployments_by_artifact').on('deployments').column('artifact_id').execute();
  await db.schema.createIndex('projects_by_server').on('projects').column('server_id').execute();
}
