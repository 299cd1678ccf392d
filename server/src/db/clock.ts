import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind } from './database.ts';

/** The database's own time in milliseconds: what leases are compared by, so that replicas need not agree on theirs. */
export const databaseNow = (kind: DatabaseKind): RawBuilder<number> =>
  kind === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
