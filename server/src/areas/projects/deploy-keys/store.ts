import type { Sql } from '../../../db/database.ts';
import type { DeployKeyTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export const selectDeployKey = (sql: Sql, organizationId: string, projectId: string) =>
  tenant(sql, organizationId).select('deploy_keys').selectAll().where('projectId', '=', projectId).executeTakeFirst();

export const insertDeployKey = (sql: Sql, { organizationId, ...key }: DeployKeyTable) =>
  tenant(sql, organizationId).insert('deploy_keys', key).execute();

export const deleteDeployKey = (sql: Sql, organizationId: string, projectId: string) =>
  tenant(sql, organizationId).delete('deploy_keys').where('projectId', '=', projectId).executeTakeFirst();
