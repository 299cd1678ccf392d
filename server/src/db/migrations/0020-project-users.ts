import { type Kysely, sql } from 'kysely';

/** The numeric user of each project, where apps run as processes. Rows stay when a project is deleted: no other project gets
 * its user. Projects keep the user that was computed from their number; of several that shared one, the oldest keeps it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('project_users')
    .addColumn('uid', 'bigint', (c) => c.primaryKey())
    .addColumn('project_id', 'text', (c) => c.notNull().unique())
    .execute();
  await sql`insert into project_users (uid, project_id)
    select 61000 + projects.number % 4000, projects.id from projects
    where not exists (
      select 1 from projects older where older.number % 4000 = projects.number % 4000 and older.number < projects.number
    )`.execute(db);
  // The first of the block of users that this instance has chosen; null before its first app.
  await db.schema.alterTable('instance').addColumn('first_project_uid', 'bigint').execute();
}
