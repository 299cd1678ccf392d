import type { Kysely } from 'kysely';

/** Links to a hosted cloud, what lives there, and what others have brought here where this is one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('cloud_links')
    .addColumn('organization_id', 'text', (c) => c.primaryKey().references('organizations.id').onDelete('cascade'))
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('token', 'text', (c) => c.notNull())
    .addColumn('account', 'text', (c) => c.notNull())
    .addColumn('cloud_organization_id', 'text', (c) => c.notNull())
    .addColumn('cloud_organization', 'text', (c) => c.notNull())
    .addColumn('linked_by', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.alterTable('projects').addColumn('cloud_state', 'text').execute();
  await db.schema.alterTable('projects').addColumn('cloud_key', 'text').execute();
  await db.schema.alterTable('projects').addColumn('cloud_url', 'text').execute();
  await db.schema
    .createTable('cloud_deployments')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id').onDelete('cascade'))
    .addColumn('project_id', 'text', (c) => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('summary', 'text', (c) => c.notNull())
    .addColumn('seen_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('cloud_deployments_by_project')
    .on('cloud_deployments')
    .columns(['organization_id', 'project_id'])
    .execute();
  await db.schema
    .createTable('cloud_promotions')
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id').onDelete('cascade'))
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('project_id', 'text', (c) => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('deployment_id', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('cloud_promotions_key', ['organization_id', 'key'])
    .execute();
}
