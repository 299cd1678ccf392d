import type { Kysely } from 'kysely';

/** The git host by the app of a hosted cloud: who uses it here, and in a cloud what is handed on to whoever does. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('githost_sign_ins').addColumn('return_url', 'text').execute();
  const owned = (table: string) =>
    db.schema
      .createTable(table)
      .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id').onDelete('cascade'));
  await owned('githost_lent')
    .addColumn('connected_by', 'text', (c) => c.notNull())
    .addColumn('cursor', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('githost_lent_key', ['organization_id'])
    .execute();
  await owned('cloud_queues')
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('last_seq', 'bigint', (c) => c.notNull())
    .addColumn('dropped_seq', 'bigint', (c) => c.notNull())
    .addColumn('asked_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('cloud_queues_key', ['organization_id'])
    .execute();
  await owned('cloud_deliveries')
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('guid', 'text', (c) => c.notNull())
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('cloud_deliveries_key', ['organization_id', 'seq'])
    .addUniqueConstraint('cloud_deliveries_once', ['organization_id', 'guid'])
    .addUniqueConstraint('cloud_deliveries_bytes', ['organization_id', 'digest'])
    .execute();
}
