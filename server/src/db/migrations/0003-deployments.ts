import { type Kysely, sql } from 'kysely';

/** Deployments, their steps and events. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('deployments')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id').onDelete('cascade'))
    .addColumn('project_id', 'text', (c) => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('environment', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('decision', 'text')
    .addColumn('pinned', 'integer', (c) => c.notNull())
    .addColumn('active', 'integer', (c) => c.notNull())
    .addColumn('trigger', 'text', (c) => c.notNull())
    .addColumn('branch', 'text')
    .addColumn('commit_sha', 'text')
    .addColumn('commit_message', 'text')
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('config', 'text', (c) => c.notNull())
    .addColumn('urls', 'text', (c) => c.notNull())
    .addColumn('deploy_target', 'text', (c) => c.notNull())
    .addColumn('server_id', 'text')
    .addColumn('machine', 'text')
    .addColumn('rollback_of', 'text')
    .addColumn('redeploy_of', 'text')
    .addColumn('artifact_id', 'text', (c) => c.notNull())
    .addColumn('artifact_kept', 'integer', (c) => c.notNull())
    .addColumn('error', 'text')
    .addColumn('prompt', 'text')
    .addColumn('prompt_answer', 'text')
    .addColumn('held', 'integer', (c) => c.notNull())
    .addColumn('switching', 'integer', (c) => c.notNull())
    .addColumn('cancel_requested_at', 'bigint')
    .addColumn('created_by', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('build_started_at', 'bigint')
    .addColumn('build_finished_at', 'bigint')
    .addColumn('finished_at', 'bigint')
    .addColumn('last_seq', 'integer', (c) => c.notNull())
    .addColumn('fence', 'integer', (c) => c.notNull())
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'bigint')
    .execute();
  await db.schema
    .createIndex('deployments_by_organization')
    .on('deployments')
    .columns(['organization_id', 'id'])
    .execute();
  await db.schema.createIndex('deployments_by_project').on('deployments').columns(['project_id', 'id']).execute();
  // One at a time for each project and environment, and one release that serves: the database says so, not the code.
  await sql`create unique index deployments_running on deployments (project_id, environment)
    where status in ('building', 'deploying', 'partial_failure')`.execute(db);
  await sql`create unique index deployments_active on deployments (project_id, environment) where active = 1`.execute(
    db,
  );
  await sql`create index deployments_unfinished on deployments (status, id)
    where status in ('queued', 'building', 'deploying')`.execute(db);
  // Only ever grows, also when deployments are deleted: the edge remembers the highest it has seen.
  await db.schema
    .createTable('deployment_fences')
    .addColumn('project_id', 'text', (c) => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('environment', 'text', (c) => c.notNull())
    .addColumn('fence', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('deployment_fences_key', ['project_id', 'environment'])
    .execute();
  await db.schema
    .createTable('deployment_steps')
    .addColumn('deployment_id', 'text', (c) => c.notNull().references('deployments.id').onDelete('cascade'))
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('attempt', 'integer', (c) => c.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('finished_at', 'bigint')
    .addColumn('result', 'text')
    .addPrimaryKeyConstraint('deployment_steps_key', ['deployment_id', 'position'])
    .execute();
  await db.schema
    .createTable('deployment_events')
    .addColumn('deployment_id', 'text', (c) => c.notNull().references('deployments.id').onDelete('cascade'))
    .addColumn('seq', 'integer', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('data', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('deployment_events_key', ['deployment_id', 'seq'])
    .execute();
}
