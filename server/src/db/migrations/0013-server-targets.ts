import type { Kysely } from 'kysely';

/** Projects that live on servers, and what was taken over there. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('projects').addColumn('server_id', 'text').execute();
  await db.schema.alterTable('projects').addColumn('services', 'text').execute();
  await db.schema.alterTable('servers').addColumn('base_domain', 'text').execute();
  await db.schema.alterTable('servers').addColumn('edge_port', 'integer').execute();
  await db.schema.alterTable('servers').addColumn('edge_tls_port', 'integer').execute();
  await db.schema
    .createTable('adoptions')
    .addColumn('project_id', 'text', (c) => c.primaryKey().references('projects.id').onDelete('cascade'))
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id').onDelete('cascade'))
    .addColumn('server_id', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('originals', 'text', (c) => c.notNull())
    .addColumn('created_by', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('adoptions_by_server').on('adoptions').column('server_id').execute();
}
