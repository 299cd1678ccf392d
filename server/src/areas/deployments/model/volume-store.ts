import type { Sql } from '../../../db/database.ts';
import type { VolumeTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export type VolumeRow = VolumeTable;
type Of = { organization_id: string; project_id: string };

/** Removed ones whose data is still there included. */
export const selectVolumes = (sql: Sql, { organization_id, project_id }: Of): Promise<VolumeRow[]> =>
  tenant(sql, organization_id)
    .select('volumes')
    .selectAll()
    .where('project_id', '=', project_id)
    .orderBy('environment')
    .orderBy('name')
    .execute();

/** Those that the next deployment mounts. */
export const selectMounted = (sql: Sql, { organization_id, project_id, environment }: Of & { environment: string }) =>
  tenant(sql, organization_id)
    .select('volumes')
    .selectAll()
    .where('project_id', '=', project_id)
    .where('environment', '=', environment)
    .where('removed_at', 'is', null)
    .orderBy('name')
    .execute();

export const insertVolume = (sql: Sql, { organization_id, ...volume }: VolumeRow) =>
  tenant(sql, organization_id).insert('volumes', volume).execute();

export const updateVolume = (sql: Sql, { organization_id, id }: VolumeRow, change: Partial<VolumeRow>) =>
  tenant(sql, organization_id).update('volumes', change).where('id', '=', id).execute();

/** `purge` of a volume: its data is to go, and nobody can mount it any more because the data is going. */
const wanted = 1;
const claimed = 2;

/** Mounts a removed volume again. False if its data is to be deleted; with `untilClaimed`, only if the deletion has begun. */
export async function bringBackVolume(
  sql: Sql,
  { organization_id, id }: VolumeRow,
  change: Partial<VolumeRow>,
  { untilClaimed }: { untilClaimed: boolean },
): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organization_id)
    .update('volumes', { ...change, removed_at: null, purge: 0 })
    .where('id', '=', id)
    .where('purge', '<', untilClaimed ? claimed : wanted)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Before its data goes. False if it was brought back meanwhile. */
export async function claimPurge(sql: Sql, { organization_id, id }: VolumeRow): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organization_id)
    .update('volumes', { purge: claimed })
    .where('id', '=', id)
    .where('purge', '>=', wanted)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const deleteVolume = (sql: Sql, { organization_id, id }: VolumeRow) =>
  tenant(sql, organization_id).delete('volumes').where('id', '=', id).execute();

/** Of all organizations, for what the service does by itself: those whose data is to go, with the server that it is on. */
export const selectPurged = (sql: Sql): Promise<(VolumeRow & { server_id: string | null })[]> =>
  sql
    .selectFrom('volumes')
    .innerJoin('projects', 'projects.id', 'volumes.project_id')
    .selectAll('volumes')
    .select('projects.server_id')
    .where('purge', '>=', wanted)
    .execute();
