import type { Sql } from '../../../db/database.ts';
import type { VolumeTable } from '../../../db/tables.ts';
import type { ProjectRef } from '../../domains/port.ts';
import { tenant } from '../../../db/tenant.ts';

export type VolumeRow = VolumeTable;

/** Includes removed volumes whose data still exists. */
export const selectVolumes = (sql: Sql, { organizationId, projectId }: ProjectRef): Promise<VolumeRow[]> =>
  tenant(sql, organizationId)
    .select('volumes')
    .selectAll()
    .where('projectId', '=', projectId)
    .orderBy('environment')
    .orderBy('name')
    .execute();

/** Volumes that the next deployment mounts. */
export const selectMounted = (
  sql: Sql,
  { organizationId, projectId, environment }: ProjectRef & { environment: string },
) =>
  tenant(sql, organizationId)
    .select('volumes')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('environment', '=', environment)
    .where('removedAt', 'is', null)
    .orderBy('name')
    .execute();

export const insertVolume = (sql: Sql, { organizationId, ...volume }: VolumeRow) =>
  tenant(sql, organizationId).insert('volumes', volume).execute();

export const updateVolume = (sql: Sql, { organizationId, id }: VolumeRow, change: Partial<VolumeRow>) =>
  tenant(sql, organizationId).update('volumes', change).where('id', '=', id).execute();

/** Values of `purge`: deletion requested, and deletion started, after which the volume cannot be mounted again. */
const wanted = 1;
const claimed = 2;

/** Mounts a removed volume again. False if its deletion is requested; with `untilClaimed`, only if it has started. */
export async function bringBackVolume(
  sql: Sql,
  { organizationId, id }: VolumeRow,
  change: Partial<VolumeRow>,
  { untilClaimed }: { untilClaimed: boolean },
): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('volumes', { ...change, removedAt: null, purge: 0 })
    .where('id', '=', id)
    .where('purge', '<', untilClaimed ? claimed : wanted)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Marks the deletion as started. False if the volume was restored in the meantime. */
export async function claimPurge(sql: Sql, { organizationId, id }: VolumeRow): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('volumes', { purge: claimed })
    .where('id', '=', id)
    .where('purge', '>=', wanted)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const deleteVolume = (sql: Sql, { organizationId, id }: VolumeRow) =>
  tenant(sql, organizationId).delete('volumes').where('id', '=', id).execute();

export type PurgedVolume = VolumeRow & { serverId: string | null };

/** Volumes of all organizations whose data is to be deleted, with their servers. */
export const selectPurged = (sql: Sql): Promise<PurgedVolume[]> =>
  sql
    .selectFrom('volumes')
    .innerJoin('projects', 'projects.id', 'volumes.projectId')
    .selectAll('volumes')
    .select('projects.serverId')
    .where('purge', '>=', wanted)
    .execute();
