import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type RawBuilder, sql } from 'kysely';
import type { Config } from '../config.ts';
import { type Db, openDatabase } from '../db/database.ts';
import { StartError } from '../errors.ts';
import { checkSqlite, digestOfFile, dumpName } from './database-copy.ts';
import type { Manifest } from './manifest.ts';
import { postgresTool, runPostgresTool } from './postgres-tools.ts';

/** Checks the database of the archive without changing anything. */
export async function checkStagedDatabase(staged: string, manifest: Manifest): Promise<void> {
  const file = manifest.database === 'sqlite' ? join(staged, 'data', 'mooring.db') : join(staged, dumpName);
  if (!existsSync(file)) throw new StartError('the archive has no database');
  const expected = manifest.parts.find(({ name }) => name === 'database')?.sha256;
  if ((await digestOfFile(file)).sha256 !== expected) throw new StartError('the database of the archive is damaged');
  if (manifest.database === 'sqlite') checkSqlite(file);
}

/** A PostgreSQL database that the archive goes to. */
export class PostgresTarget {
  readonly #url: string;
  readonly #db: Db;

  private constructor(url: string, db: Db) {
    [this.#url, this.#db] = [url, db];
  }

  static async open({ databaseUrl, dataDir }: Config): Promise<PostgresTarget> {
    const { db } = await openDatabase({ databaseUrl, dataDir, migrates: false });
    return new PostgresTarget(databaseUrl!, db);
  }

  async isEmpty(): Promise<boolean> {
    const { rows } = await sql`select 1 from pg_tables where schemaname = 'public' limit 1`.execute(this.#db);
    return rows.length === 0;
  }

  /** Throws early if the tool is missing. */
  requireTool = (): Promise<string> => postgresTool('pg_restore', this.#db);

  /** Restores in one transaction. Tables that were there before stay in another schema, whose name is returned. */
  async restore(dump: string, aside: string): Promise<string | undefined> {
    const tool = await this.requireTool();
    const isEmpty = await this.isEmpty();
    if (!isEmpty) await this.#swap(sql`alter schema public rename to ${sql.id(aside)}`, sql`create schema public`);
    try {
      const args = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges', dump];
      await runPostgresTool(tool, args, this.#url);
    } catch (error) {
      if (!isEmpty)
        await this.#swap(sql`drop schema public cascade`, sql`alter schema ${sql.id(aside)} rename to public`);
      throw error;
    }
    return isEmpty ? undefined : aside;
  }

  #swap = (first: RawBuilder<unknown>, second: RawBuilder<unknown>): Promise<void> =>
    this.#db.transaction().execute(async (trx) => {
      await first.execute(trx);
      await second.execute(trx);
    });

  close = (): Promise<void> => this.#db.destroy();
}
