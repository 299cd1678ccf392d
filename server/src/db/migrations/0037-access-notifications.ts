import { type Kysely, PostgresAdapter, sql } from 'kysely';

const tables = ['users', 'sessions', 'tokens', 'members', 'organizations', 'instance'];

/** Replicas keep what they read from these tables until they are notified of a change, whoever made it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return;
  // It may be left from an update that went back.
  await sql`
    create or replace function mooring_notify_access() returns trigger language plpgsql as $$
    begin
      perform pg_notify('mooring_access', tg_table_name);
      return null;
    end $$`.execute(db);
  for (const table of tables)
    await sql`
      create trigger ${sql.id(`${table}_notify_access`)}
      after insert or update or delete or truncate on ${sql.table(table)}
      for each statement execute function mooring_notify_access()`.execute(db);
}
