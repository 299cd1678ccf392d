import { type Kysely, sql } from 'kysely';

/** Servers that are nodes of a Swarm. Those that are in use run Docker. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('servers').addColumn('runtime', 'text').execute();
  await db.schema.alterTable('servers').addColumn('swarm_node_id', 'text').execute();
  await sql`
    update servers set runtime = 'docker'
    where id in (select server_id from projects) or id in (select server_id from deployments)`.execute(db);
}
