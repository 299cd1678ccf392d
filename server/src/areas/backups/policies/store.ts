import type { Sql } from '../../../db/database.ts';
import type { BackupPolicyTable, PolicyHealth } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export type PolicyRow = BackupPolicyTable;

export function selectPolicies(sql: Sql, organizationId: string, projectIds: 'all' | string[]): Promise<PolicyRow[]> {
  const query = tenant(sql, organizationId).select('backup_policies').selectAll().orderBy('name');
  return (
    projectIds === 'all' ? query : query.where('projectId', 'in', projectIds.length ? projectIds : [''])
  ).execute();
}

export const selectPolicy = (sql: Sql, organizationId: string, id: string): Promise<PolicyRow | undefined> =>
  tenant(sql, organizationId).select('backup_policies').selectAll().where('id', '=', id).executeTakeFirst();

export const insertPolicy = (sql: Sql, { organizationId, ...row }: PolicyRow) =>
  tenant(sql, organizationId).insert('backup_policies', row).execute();

export const updatePolicy = (
  sql: Sql,
  { organizationId, id }: Pick<PolicyRow, 'organizationId' | 'id'>,
  change: Partial<PolicyRow>,
) => tenant(sql, organizationId).update('backup_policies', change).where('id', '=', id).execute();

export const deletePolicy = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).delete('backup_policies').where('id', '=', id).execute();

/** Policies of all organizations that are due for a run or a drill. */
export const selectDuePolicies = (sql: Sql, now: number): Promise<PolicyRow[]> =>
  sql
    .selectFrom('backup_policies')
    .selectAll()
    .where('enabled', '=', 1)
    .where((eb) => eb.or([eb('nextRunAt', '<=', now), eb('nextDrillAt', '<=', now)]))
    .orderBy('id')
    .limit(100)
    .execute();

/** Moves the time on, unless another replica has done so. True for the one that did. */
export async function advanceSchedule(
  sql: Sql,
  { id }: PolicyRow,
  column: 'nextRunAt' | 'nextDrillAt',
  from: number,
  to: number | null,
): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('backup_policies')
    .set({ [column]: to })
    .where('id', '=', id)
    .where(column, '=', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Policies of all organizations. */
export const selectEveryPolicy = (sql: Sql): Promise<PolicyRow[]> =>
  sql.selectFrom('backup_policies').selectAll().execute();

/** Records the health that is reported, unless another replica has done so. True for the one that did. */
export async function reportHealth(
  sql: Sql,
  { id, reportedHealth }: PolicyRow,
  health: PolicyHealth,
): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('backup_policies')
    .set({ reportedHealth: health })
    .where('id', '=', id)
    .where('reportedHealth', '=', reportedHealth)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
