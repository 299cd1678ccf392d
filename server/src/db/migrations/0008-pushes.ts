import { type Kysely, sql } from 'kysely';

/** Webhooks, what came through them, which project follows which repository, and what the host was told of commits. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createHooks(db);
  await createDeliveries(db);
  await createLinks(db);
  await db.schema
    .createTable('commit_statuses')
    .addColumn('deployment_id', 'text', (c) => c.primaryKey().references('deployments.id').onDelete('cascade'))
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id').onDelete('cascade'))
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('context', 'text', (c) => c.notNull())
    .addColumn('told', 'text')
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('next_at', 'bigint', (c) => c.notNull())
    .execute();
}

async function createHooks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('githost_hooks')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id').onDelete('cascade'))
    .addColumn('repository_id', 'bigint', (c) => c.notNull())
    .addColumn('repository', 'text', (c) => c.notNull())
    .addColumn('hook_id', 'bigint')
    .addColumn('secret', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('githost_hooks_once', ['organization_id', 'repository_id'])
    .execute();
  await db.schema.createIndex('githost_hooks_by_repository').on('githost_hooks').column('repository_id').execute();
}

async function createDeliveries(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('githost_deliveries')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id').onDelete('cascade'))
    .addColumn('guid', 'text', (c) => c.notNull())
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('event', 'text', (c) => c.notNull())
    .addColumn('repository', 'text')
    .addColumn('ref', 'text')
    .addColumn('commit_sha', 'text')
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('outcome', 'text')
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('next_try_at', 'bigint', (c) => c.notNull())
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'bigint')
    .addColumn('received_at', 'bigint', (c) => c.notNull())
    .addColumn('handled_at', 'bigint')
    .addUniqueConstraint('githost_deliveries_once', ['organization_id', 'guid'])
    // The name of a delivery is not signed, its bytes are: the same ones under another name are the same delivery.
    .addUniqueConstraint('githost_deliveries_bytes', ['organization_id', 'digest'])
    .execute();
  await sql`create index githost_deliveries_waiting on githost_deliveries (next_try_at, id)
    where status = 'received'`.execute(db);
}

async function createLinks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('project_links')
    .addColumn('project_id', 'text', (c) => c.primaryKey().references('projects.id').onDelete('cascade'))
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id').onDelete('cascade'))
    .addColumn('repository_id', 'bigint')
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('branch', 'text')
    .addColumn('default_branch', 'text')
    .addColumn('seen_branch', 'text')
    .addColumn('seen_commit', 'text')
    .addColumn('seen_at', 'bigint')
    .addColumn('heard_at', 'bigint')
    .addColumn('checked_at', 'bigint')
    .addColumn('next_check_at', 'bigint', (c) => c.notNull())
    .addColumn('trouble', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('project_links_by_repository').on('project_links').column('repository_id').execute();
  await db.schema.createIndex('project_links_by_time').on('project_links').column('next_check_at').execute();
}
