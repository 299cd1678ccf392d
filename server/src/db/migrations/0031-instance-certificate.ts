import { type Kysely, sql } from 'kysely';

/** Certificates without a project: that of the dashboard. SQLite cannot drop NOT NULL, so the tables are rebuilt. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('certificates_rebuilt')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.references('organizations.id').onDelete('cascade'))
    .addColumn('project_id', 'text', (c) => c.references('projects.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('chain', 'text', (c) => c.notNull())
    .addColumn('private_key', 'text', (c) => c.notNull())
    .addColumn('fingerprint', 'text', (c) => c.notNull())
    .addColumn('not_before', 'bigint', (c) => c.notNull())
    .addColumn('not_after', 'bigint', (c) => c.notNull())
    .addColumn('is_current', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('is_next', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('certificate_orders_rebuilt')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text')
    .addColumn('project_id', 'text', (c) => c.references('projects.id').onDelete('cascade'))
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('next_at', 'bigint', (c) => c.notNull())
    .addColumn('error', 'text')
    .addColumn('owner', 'text')
    .addColumn('fence', 'integer', (c) => c.notNull())
    .addColumn('lease_until', 'bigint')
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  // The order of the columns is that of the previous tables.
  for (const table of ['certificates', 'certificate_orders']) {
    const rebuilt = sql.table(`${table}_rebuilt`);
    await sql`insert into ${rebuilt} select * from ${sql.table(table)}`.execute(db);
    await sql`drop table ${sql.table(table)}`.execute(db);
    await sql`alter table ${rebuilt} rename to ${sql.table(table)}`.execute(db);
  }
  await sql`create unique index certificates_current on certificates (name) where is_current = 1`.execute(db);
  await sql`create unique index certificates_next on certificates (name) where is_next = 1`.execute(db);
  await db.schema.createIndex('certificates_by_project').on('certificates').column('project_id').execute();
}
