import type { Kysely } from 'kysely';

/** Which files the last backup of the instance does not contain. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  db.schema.alterTable('instance_backups').addColumn('lacks', 'text').execute();
