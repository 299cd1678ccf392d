import type { Kysely } from 'kysely';

/** Volumes that people add to projects. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('volumes')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('project_id', 'text', (c) => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('environment', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('service', 'text')
    .addColumn('path', 'text', (c) => c.notNull())
    .addColumn('overlap', 'integer', (c) => c.notNull())
    .addColumn('engine_id', 'text')
    .addColumn('removed_at', 'bigint')
    .addColumn('purge', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('volumes_once', ['project_id', 'environment', 'name'])
    .execute();
}
