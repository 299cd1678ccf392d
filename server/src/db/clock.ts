import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind } from './database.ts';

/** The database's time in milliseconds. Leases use it, so that the clocks of replicas need not agree. */
export const databaseNow = (kind: DatabaseKind): RawBuilder<number> =>
  kind === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
