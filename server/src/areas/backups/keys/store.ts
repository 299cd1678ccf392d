import type { Sql } from '../../../db/database.ts';
import type { BackupKeyTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

/** Newest first. */
export const selectKeys = (sql: Sql, organizationId: string): Promise<BackupKeyTable[]> =>
  tenant(sql, organizationId).select('backup_keys').selectAll().orderBy('id', 'desc').execute();

export const insertKey = (sql: Sql, { organizationId, ...row }: BackupKeyTable) =>
  tenant(sql, organizationId).insert('backup_keys', row).execute();

export const markExported = (sql: Sql, organizationId: string, at: number) =>
  tenant(sql, organizationId).update('backup_keys', { exportedAt: at }).where('exportedAt', 'is', null).execute();
