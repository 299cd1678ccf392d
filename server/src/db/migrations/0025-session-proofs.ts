import type { Kysely } from 'kysely';

/** What the page that signed in proves itself with, beside the cookie. Sessions without one cannot be used any more. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('sessions').addColumn('proof_hash', 'text').execute();
}
