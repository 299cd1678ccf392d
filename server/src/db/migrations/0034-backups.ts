import { type Kysely, sql } from 'kysely';

/** Backups of projects: policies, runs and restores with their events, and keys. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('backup_policies')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id').onDelete('cascade'))
    .addColumn('project_id', 'text', (c) => c.references('projects.id').onDelete('cascade'))
    .addColumn('environment', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('settings', 'text', (c) => c.notNull())
    .addColumn('enabled', 'integer', (c) => c.notNull())
    .addColumn('next_run_at', 'bigint')
    .addColumn('next_drill_at', 'bigint')
    .addColumn('last_success_at', 'bigint')
    .addColumn('last_drill_at', 'bigint')
    .addColumn('last_run', 'text')
    .addColumn('is_late', 'integer', (c) => c.notNull())
    .addColumn('created_by', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('backup_policies_once', ['organization_id', 'name'])
    .execute();
  await db.schema
    .createTable('backup_jobs')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id').onDelete('cascade'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('policy_id', 'text')
    .addColumn('project_id', 'text')
    .addColumn('environment', 'text', (c) => c.notNull())
    .addColumn('backup_id', 'text')
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('trigger', 'text', (c) => c.notNull())
    .addColumn('request', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('progress', 'text', (c) => c.notNull())
    .addColumn('archives', 'text', (c) => c.notNull())
    .addColumn('error', 'text')
    .addColumn('pinned', 'integer', (c) => c.notNull())
    .addColumn('machine', 'text')
    .addColumn('cancel_requested_at', 'bigint')
    .addColumn('created_by', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('finished_at', 'bigint')
    .addColumn('last_seq', 'integer', (c) => c.notNull())
    .addColumn('fence', 'integer', (c) => c.notNull())
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'bigint')
    .execute();
  await db.schema
    .createIndex('backup_jobs_newest')
    .on('backup_jobs')
    .columns(['organization_id', 'kind', 'id'])
    .execute();
  // One run of a policy, and one restore into a project, at a time.
  await sql`create unique index backup_jobs_of_policy on backup_jobs (policy_id, kind)
    where finished_at is null and kind = 'backup' and trigger != 'before-restore'`.execute(db);
  await sql`create unique index backup_jobs_restoring on backup_jobs (project_id)
    where finished_at is null and kind = 'restore'`.execute(db);
  await sql`create index backup_jobs_unfinished on backup_jobs (id) where finished_at is null`.execute(db);
  await db.schema
    .createTable('backup_events')
    .addColumn('job_id', 'text', (c) => c.notNull().references('backup_jobs.id').onDelete('cascade'))
    .addColumn('seq', 'integer', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('data', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('backup_events_key', ['job_id', 'seq'])
    .execute();
  // Archives are decrypted with the keys of then; the newest one encrypts.
  await db.schema
    .createTable('backup_keys')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id').onDelete('cascade'))
    .addColumn('recipient', 'text', (c) => c.notNull())
    .addColumn('identity', 'text', (c) => c.notNull())
    .addColumn('exported_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
}
