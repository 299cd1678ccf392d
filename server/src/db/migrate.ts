import { type Kysely, sql } from 'kysely';
import { StartError } from '../errors.ts';
import { migrations } from './migrations/index.ts';
import type { DatabaseKind, Db } from './database.ts';
import { againAfterDeadlock } from './deadlock.ts';

/** How the lines begin that the service prints while it migrates, and after that. Updaters of this and of earlier
 * versions look for them. */
export const migrationLines = { running: 'Migrating the database', done: 'Migrated the database' };

/** Runs missing migrations, each in its own transaction, one service at a time. `say` receives the progress. */
export async function migrate(db: Db, kind: DatabaseKind, say: (line: string) => void = () => {}): Promise<void> {
  await db.connection().execute(async (connection) => {
    if (kind === 'postgres') await sql`select pg_advisory_lock(${lockNumber})`.execute(connection);
    try {
      await applyMissing(connection, say);
    } finally {
      if (kind === 'postgres') await sql`select pg_advisory_unlock(${lockNumber})`.execute(connection);
    }
  });
}

const lockNumber = 4_600_001;

/** Returns the migrations that the database has, in the order of their names. */
export async function appliedMigrations(db: Db): Promise<string[]> {
  const any = db as unknown as Kysely<{ migrations: { name: string } }>;
  return (await any.selectFrom('migrations').select('name').orderBy('name').execute()).map(({ name }) => name);
}

/** Whether this version can use a database with that migration. */
export const isKnownMigration = (name: string): boolean => name in migrations;

async function applyMissing(connection: Db, say: (line: string) => void): Promise<void> {
  const any = connection as unknown as Kysely<{ migrations: { name: string; applied_at: number } }>;
  await sql`create table if not exists migrations (name text primary key, applied_at bigint not null)`.execute(any);
  const applied = new Set((await any.selectFrom('migrations').select('name').execute()).map(({ name }) => name));
  const unknown = [...applied].filter((name) => !(name in migrations));
  if (unknown.length)
    throw new StartError(`the database was used by a newer Mooring (it has ${unknown.join(', ')}); start that version`);
  const missing = Object.entries(migrations).filter(([name]) => !applied.has(name));
  // Nothing to wait for in a new database.
  const report = applied.size && missing.length ? say : () => {};
  for (const [i, [name, up]] of missing.entries()) {
    report(`${migrationLines.running}: ${name} (${i + 1} of ${missing.length})`);
    const apply = () =>
      any.transaction().execute(async (trx) => {
        // On SQLite two services may get here together: the second sees the first one's row once it holds the lock.
        const done = await trx.selectFrom('migrations').select('name').where('name', '=', name).executeTakeFirst();
        if (done) return;
        await up(trx as never);
        await trx.insertInto('migrations').values({ name, applied_at: Date.now() }).execute();
      });
    await againAfterDeadlock(apply);
  }
  report(migrationLines.done);
}
