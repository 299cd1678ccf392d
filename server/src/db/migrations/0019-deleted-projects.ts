import { type Kysely, sql } from 'kysely';

/** Owners of deleted projects: their volumes and folders stay, and are found by the id of the project. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('deleted_projects')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('deleted_at', 'bigint', (c) => c.notNull())
    .execute();
  await sql`insert into deleted_projects (id, organization_id, deleted_at)
    select target_id, min(organization_id), max(at) from audit_entries
    where action = 'project.deleted' and target_id is not null group by target_id`.execute(db);
}
