import type { Sql } from '../../../db/database.ts';
import type { BackupDestinationTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export type DestinationRow = BackupDestinationTable;

export function selectDestinations(sql: Sql, organizationId: string, ids: 'all' | string[]) {
  const query = tenant(sql, organizationId).select('backup_destinations').selectAll().orderBy('name');
  return (ids === 'all' ? query : query.where('id', 'in', ids.length ? ids : [''])).execute();
}

export const selectDestination = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).select('backup_destinations').selectAll().where('id', '=', id).executeTakeFirst();

export const selectDestinationNamed = (sql: Sql, organizationId: string, name: string) =>
  tenant(sql, organizationId).select('backup_destinations').select('id').where('name', '=', name).executeTakeFirst();

/** Returns the destinations of that name in the organizations that the instance owner owns. */
export const selectDestinationsOfOwner = (sql: Sql, name: string) =>
  sql
    .selectFrom('backup_destinations')
    .innerJoin('members', 'members.organizationId', 'backup_destinations.organizationId')
    .innerJoin('instance', 'instance.ownerUserId', 'members.userId')
    .selectAll('backup_destinations')
    .where('members.role', '=', 'owner')
    .where('backup_destinations.name', '=', name)
    .execute();

export const selectDestinationsOfKinds = (sql: Sql, organizationId: string, kinds: string[]) =>
  tenant(sql, organizationId)
    .select('backup_destinations')
    .select(['id', 'name', 'options'])
    .where('kind', 'in', kinds)
    .orderBy('name')
    .execute();

/** Returns the ids that are destinations of the organization. */
export async function selectKnownDestinations(sql: Sql, organizationId: string, ids: string[]): Promise<Set<string>> {
  const rows = await tenant(sql, organizationId)
    .select('backup_destinations')
    .select('id')
    .where('id', 'in', ids)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

export const insertDestination = (sql: Sql, { organizationId, ...row }: DestinationRow) =>
  tenant(sql, organizationId).insert('backup_destinations', row).execute();

export const updateDestination = (sql: Sql, { organizationId, id, ...change }: DestinationRow) =>
  tenant(sql, organizationId).update('backup_destinations', change).where('id', '=', id).execute();

/** Clears the current default. */
export const clearDefault = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId).update('backup_destinations', { isDefault: 0 }).where('isDefault', '=', 1).execute();

/** Stores the result of a test, unless the destination has changed meanwhile. */
export const updateVerified = (
  sql: Sql,
  { organizationId, id, version }: DestinationRow,
  found: Pick<DestinationRow, 'lastVerifyError'> & Partial<Pick<DestinationRow, 'lastVerifiedAt'>>,
) =>
  tenant(sql, organizationId)
    .update('backup_destinations', found)
    .where('id', '=', id)
    .where('version', '=', version)
    .execute();

/** Pins the key only if none is pinned. */
export const pinDestinationHostKey = (sql: Sql, { organizationId, id, version }: DestinationRow, hostKey: string) =>
  tenant(sql, organizationId)
    .update('backup_destinations', { hostKey })
    .where('id', '=', id)
    .where('version', '=', version)
    .where('hostKey', 'is', null)
    .executeTakeFirst();

export const deleteDestination = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).delete('backup_destinations').where('id', '=', id).execute();
