import type { Sql } from '../../../db/database.ts';
import type { ProjectVariableTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export const selectVariables = (sql: Sql, organizationId: string, projectId: string): Promise<ProjectVariableTable[]> =>
  tenant(sql, organizationId)
    .select('project_variables')
    .selectAll()
    .where('projectId', '=', projectId)
    .orderBy('key')
    .execute();

export const insertVariable = (sql: Sql, { organizationId, ...variable }: ProjectVariableTable) =>
  tenant(sql, organizationId).insert('project_variables', variable).execute();

export const updateVariable = (sql: Sql, { organizationId, id, ...change }: ProjectVariableTable) =>
  tenant(sql, organizationId).update('project_variables', change).where('id', '=', id).execute();

export const deleteVariable = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).delete('project_variables').where('id', '=', id).execute();

/** Not scoped to a tenant: the project id comes from the deployment's row, not from a caller. */
export const selectVariablesOfKnown = (sql: Sql, projectId: string): Promise<ProjectVariableTable[]> =>
  sql.selectFrom('project_variables').selectAll().where('projectId', '=', projectId).orderBy('key').execute();
