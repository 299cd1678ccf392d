import { type Kysely, PostgresAdapter } from 'kysely';

/** Uploaded archives on PostgreSQL, where every replica reads them. With SQLite they are files. */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return;
  await db.schema
    .createTable('upload_chunks')
    // It may be left from an update that went back.
    .ifNotExists()
    .addColumn('upload_id', 'text', (c) => c.notNull().references('uploads.id').onDelete('cascade'))
    .addColumn('number', 'integer', (c) => c.notNull())
    .addColumn('bytes', 'bytea', (c) => c.notNull())
    .addPrimaryKeyConstraint('upload_chunks_pk', ['upload_id', 'number'])
    .execute();
}
