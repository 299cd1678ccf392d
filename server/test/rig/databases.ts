import { inject } from 'vitest';
import { type Database, type DatabaseKind, openDatabase } from '../../src/db/database.ts';
import { newFolder } from './children.ts';
import { has } from './parts.ts';
import { newDatabase } from './postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server that this run's set-up has started; empty where there is none. */
    postgresUrl: string;
  }
}

/** The databases that store and service suites run on: `describe.each(databaseKinds)`. */
export const databaseKinds: DatabaseKind[] = has('postgres') ? ['sqlite', 'postgres'] : ['sqlite'];

/** For long suites about rules that no database changes: both in the long run, one in the usual one. */
export const databaseKindsInFull: DatabaseKind[] =
  process.env['MOORING_TEST_FULL'] === '1' ? databaseKinds : ['sqlite'];

export async function newDatabaseSettings(
  kind: DatabaseKind,
): Promise<{ dataDir: string; databaseUrl: string | undefined }> {
  const databaseUrl = kind === 'postgres' ? await newDatabase(inject('postgresUrl')) : undefined;
  return { dataDir: newFolder('data'), databaseUrl };
}

/** A new empty database with all migrations. Close it with `db.destroy()`. */
export async function openNewDatabase(kind: DatabaseKind, onStatement?: (sql: string) => void): Promise<Database> {
  return openDatabase({ ...(await newDatabaseSettings(kind)), ...(onStatement && { onStatement }) });
}
