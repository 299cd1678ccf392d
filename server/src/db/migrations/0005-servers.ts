import { type Kysely, sql } from 'kysely';

/** Managed servers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('servers')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id').onDelete('cascade'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('host', 'text')
    .addColumn('port', 'integer')
    .addColumn('username', 'text')
    .addColumn('password', 'text')
    .addColumn('private_key', 'text')
    .addColumn('passphrase', 'text')
    .addColumn('public_key', 'text')
    .addColumn('host_key', 'text')
    .addColumn('last_checked_at', 'bigint')
    .addColumn('last_check', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('servers_by_name', ['organization_id', 'name'])
    .execute();
  // An organization has this machine once.
  await sql`create unique index servers_here on servers (organization_id) where kind = 'this_machine'`.execute(db);
}
