import { sql } from 'kysely';
import type { DatabaseKind, Trx } from './database.ts';

/** Takes a lock until the transaction ends. SQLite has a single writer anyway. */
export async function lockUntilCommit(trx: Trx, kind: DatabaseKind, what: string): Promise<void> {
  if (kind === 'postgres') await sql`select pg_advisory_xact_lock(hashtextextended(${what}, 0))`.execute(trx);
}
