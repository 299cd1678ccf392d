import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type Database, type DatabaseKind, openDatabase } from '../../src/db/database.ts';
import { newFolder, rigFolder } from './children.ts';
import { has } from './parts.ts';
import { newDatabase } from './postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server started by the global setup; empty if there is none. */
    postgresUrl: string;
  }
}

/** The databases that store and service suites run on: `describe.each(databaseKinds)`. */
export const databaseKinds: DatabaseKind[] = has('postgres') ? ['sqlite', 'postgres'] : ['sqlite'];

/** For long suites that do not depend on the database: both in a full run, one otherwise. */
export const databaseKindsInFull: DatabaseKind[] =
  process.env['MOORING_TEST_FULL'] === '1' ? databaseKinds : ['sqlite'];

type Settings = { dataDir: string; databaseUrl: string | undefined };

/** An empty database without tables. */
export async function newDatabaseSettings(kind: DatabaseKind): Promise<Settings> {
  const databaseUrl = kind === 'postgres' ? await newDatabase(inject('postgresUrl')) : undefined;
  return { dataDir: newFolder('data'), databaseUrl };
}

const migratedFolder = () => join(rigFolder(), 'migrated');
const template = 'migrated';

/** Once per run: migrations take 0.3 s on SQLite and 0.7 s on PostgreSQL; copying a template takes a tenth of that. */
export async function makeTemplates(postgresUrl: string): Promise<void> {
  await (await openDatabase({ dataDir: migratedFolder() })).db.destroy();
  if (!postgresUrl) return;
  const databaseUrl = await newDatabase(postgresUrl, { name: template });
  await (await openDatabase({ dataDir: migratedFolder(), databaseUrl })).db.destroy();
}

/** A migrated, empty database. */
export async function migratedDatabase(kind: DatabaseKind): Promise<Settings> {
  if (kind === 'postgres')
    return { dataDir: newFolder('data'), databaseUrl: await newDatabase(inject('postgresUrl'), { template }) };
  const dataDir = newFolder('data');
  copyFileSync(join(migratedFolder(), 'mooring.db'), join(dataDir, 'mooring.db'));
  return { dataDir, databaseUrl: undefined };
}

/** A new database with all migrations. Close it with `db.destroy()`. */
export async function openNewDatabase(kind: DatabaseKind, onStatement?: (sql: string) => void): Promise<Database> {
  return openDatabase({ ...(await migratedDatabase(kind)), ...(onStatement && { onStatement }) });
}
