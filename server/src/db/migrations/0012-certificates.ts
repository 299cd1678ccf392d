import { type Kysely, sql } from 'kysely';

/** Certificates that wait for the edge, what was ordered lately, and where authorities write to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('certificates')
    .addColumn('is_next', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`create unique index certificates_next on certificates (name) where is_next = 1`.execute(db);
  await db.schema.alterTable('acme_accounts').addColumn('contact', 'text').execute();
  await db.schema
    .createTable('authority_orders')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('is_below', 'integer', (c) => c.notNull())
    .addColumn('is_issued', 'integer', (c) => c.notNull())
    .addColumn('ordered_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('authority_orders_by_time').on('authority_orders').column('ordered_at').execute();
}
