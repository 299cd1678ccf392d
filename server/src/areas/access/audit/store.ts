import type { Sql } from '../../../db/database.ts';
import type { AuditEntryTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export type AuditFilter = {
  action?: string | undefined;
  actorId?: string | undefined;
  targetId?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
  cursor?: string | undefined;
  limit: number;
};

export const insertAuditEntry = (sql: Sql, organizationId: string, entry: Omit<AuditEntryTable, 'organizationId'>) =>
  tenant(sql, organizationId).insert('audit_entries', entry).execute();

/** Returns entries, newest first; ids sort by time. */
export function selectAuditEntries(sql: Sql, organizationId: string, filter: AuditFilter) {
  let query = tenant(sql, organizationId).select('audit_entries').selectAll();
  if (filter.action)
    query = query.where('action', filter.action.endsWith('.') ? 'like' : '=', prefixOrWhole(filter.action));
  if (filter.actorId) query = query.where('actorId', '=', filter.actorId);
  if (filter.targetId) query = query.where('targetId', '=', filter.targetId);
  if (filter.from !== undefined) query = query.where('at', '>=', filter.from);
  if (filter.to !== undefined) query = query.where('at', '<', filter.to);
  if (filter.cursor) query = query.where('id', '<', filter.cursor);
  return query.orderBy('id', 'desc').limit(filter.limit).execute();
}

const prefixOrWhole = (action: string) => (action.endsWith('.') ? `${action}%` : action);

/** Not scoped to a tenant: retention applies to the whole instance. */
export const deleteAuditEntriesBefore = (sql: Sql, time: number) =>
  sql.deleteFrom('audit_entries').where('at', '<', time).execute();
