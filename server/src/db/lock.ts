import { sql } from 'kysely';
import type { DatabaseKind, Trx } from './database.ts';

/** Until the transaction ends, nobody else has this lock. SQLite has one writer at a time anyway. */
export async function lockUntilCommit(trx: Trx, kind: DatabaseKind, what: string): Promise<void> {
  if (kind === 'postgres') await sql`select pg_advisory_xact_lock(hashtextextended(${what}, 0))`.execute(trx);
}
