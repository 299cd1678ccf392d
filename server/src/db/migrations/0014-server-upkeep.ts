import type { Kysely } from 'kysely';

/** Which replica looks after a server. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('server_upkeep')
    .addColumn('server_id', 'text', (c) => c.primaryKey().references('servers.id').onDelete('cascade'))
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('until', 'bigint', (c) => c.notNull())
    .execute();
}
