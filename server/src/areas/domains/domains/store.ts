import { type Sql } from '../../../db/database.ts';
import type { DomainTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export const selectDomains = (sql: Sql, organizationId: string, projectId: string): Promise<DomainTable[]> =>
  tenant(sql, organizationId)
    .select('domains')
    .selectAll()
    .where('projectId', '=', projectId)
    .orderBy('isPrimary', 'desc')
    .orderBy('name')
    .execute();

export const selectDomain = (sql: Sql, organizationId: string, projectId: string, name: string) =>
  tenant(sql, organizationId)
    .select('domains')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst();

/** Returns the holder of a name across all organizations. */
export const selectHolder = (sql: Sql, name: string): Promise<DomainTable | undefined> =>
  sql.selectFrom('domains').selectAll().where('name', '=', name).executeTakeFirst();

/** Not scoped to a tenant: the edge serves the domains of all organizations. */
export const selectAllDomains = (sql: Sql): Promise<DomainTable[]> =>
  sql.selectFrom('domains').selectAll().orderBy('isPrimary', 'desc').orderBy('name').execute();

/** Inserts the domain; false if the name is taken. */
export async function insertDomain(sql: Sql, row: DomainTable): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await sql
    .insertInto('domains')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows ?? 0) === 1;
}

export const updateDomain = (sql: Sql, organizationId: string, id: string, change: Partial<DomainTable>) =>
  tenant(sql, organizationId).update('domains', change).where('id', '=', id).execute();

/** Clears the primary flag of the other domains of the environment. */
export const clearPrimary = (sql: Sql, { organizationId, projectId, environment, id }: DomainTable) =>
  tenant(sql, organizationId)
    .update('domains', { isPrimary: 0 })
    .where('projectId', '=', projectId)
    .where('environment', '=', environment)
    .where('id', '!=', id)
    .execute();

/** Deletes a domain with its certificates: the next owner gets new ones. False if it was gone already. */
export async function deleteDomain(sql: Sql, organizationId: string, { id, name }: DomainTable): Promise<boolean> {
  const own = tenant(sql, organizationId);
  const { numDeletedRows } = await own.delete('domains').where('id', '=', id).executeTakeFirst();
  if (!numDeletedRows) return false;
  await deleteCertificates(sql, organizationId, name);
  return true;
}

export async function deleteCertificates(sql: Sql, organizationId: string, name: string): Promise<void> {
  const own = tenant(sql, organizationId);
  await own.delete('certificates').where('name', '=', name).execute();
  await own.delete('certificate_orders').where('name', '=', name).execute();
}

type Named = Pick<DomainTable, 'organizationId' | 'projectId' | 'name'>;

const mostRemovals = 500;

/** Records the removal. Keeps the newest 500 per project, more than any deployment asks for. */
export async function insertRemoval(sql: Sql, { organizationId, projectId, name }: Named): Promise<void> {
  const own = tenant(sql, organizationId);
  const removedAt = Date.now();
  await own
    .insert('removed_domains', { projectId, name, removedAt })
    .onConflict((conflict) => conflict.columns(['projectId', 'name']).doUpdateSet({ removedAt }))
    .execute();
  const newest = own
    .select('removed_domains')
    .select('name')
    .where('projectId', '=', projectId)
    .orderBy('removedAt', 'desc')
    .limit(mostRemovals);
  await own.delete('removed_domains').where('projectId', '=', projectId).where('name', 'not in', newest).execute();
}

export const deleteRemoval = (sql: Sql, { organizationId, projectId, name }: Named) =>
  tenant(sql, organizationId)
    .delete('removed_domains')
    .where('projectId', '=', projectId)
    .where('name', '=', name)
    .execute();

export async function selectRemovals(sql: Sql, organizationId: string, projectId: string): Promise<Set<string>> {
  const rows = await tenant(sql, organizationId)
    .select('removed_domains')
    .select('name')
    .where('projectId', '=', projectId)
    .execute();
  return new Set(rows.map(({ name }) => name));
}
