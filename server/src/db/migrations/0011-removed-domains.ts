import type { Kysely } from 'kysely';

/** Names that were taken away from a project: what asked for them before does not bring them back. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('removed_domains')
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id').onDelete('cascade'))
    .addColumn('project_id', 'text', (c) => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('removed_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('removed_domains_once', ['project_id', 'name'])
    .execute();
}
