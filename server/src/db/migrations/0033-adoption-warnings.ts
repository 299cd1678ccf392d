import type { Kysely } from 'kysely';

/** Warnings of an adoption, which its plan repeats. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('adoptions').addColumn('warnings', 'text').execute();
}
