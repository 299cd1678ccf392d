import { type Kysely, sql } from 'kysely';

/** Where backups go. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('backup_destinations')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('options', 'text', (c) => c.notNull())
    .addColumn('secrets', 'text', (c) => c.notNull())
    .addColumn('secret_names', 'text', (c) => c.notNull())
    .addColumn('path_prefix', 'text', (c) => c.notNull())
    .addColumn('is_default', 'integer', (c) => c.notNull())
    .addColumn('host_key', 'text')
    .addColumn('last_verified_at', 'bigint')
    .addColumn('last_verify_error', 'text')
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('backup_destinations_once', ['organization_id', 'name'])
    .execute();
  await sql`create unique index backup_destinations_default on backup_destinations (organization_id)
    where is_default = 1`.execute(db);
}
