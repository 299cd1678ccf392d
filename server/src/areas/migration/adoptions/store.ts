import type { Sql } from '../../../db/database.ts';
import type { AdoptionTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';
import { originalsIn } from '../../deployments/port.ts';

export const insertAdoption = (sql: Sql, { organizationId, ...row }: AdoptionTable) =>
  tenant(sql, organizationId).insert('adoptions', row).execute();

/** Returns the projects with adopted containers on a server that were not undone. */
export async function selectAdoptersOf(sql: Sql, organizationId: string, serverId: string) {
  const rows = await tenant(sql, organizationId)
    .select('adoptions')
    .innerJoin('projects', 'projects.id', 'adoptions.projectId')
    .select(['projects.id', 'projects.name'])
    .where('adoptions.serverId', '=', serverId)
    .where('adoptions.state', '!=', 'undone')
    .orderBy('projects.name')
    .execute();
  return rows;
}

/**
 * Returns all adopted containers that were not undone. Not scoped to a tenant: a machine may be added twice, also by
 * two organizations.
 */
export async function selectTakenOver(sql: Sql): Promise<Set<string>> {
  const rows = await sql.selectFrom('adoptions').select('originals').where('state', '!=', 'undone').execute();
  return new Set(rows.flatMap((row) => Object.values(originalsIn(row)).flat()).map(({ containerId }) => containerId));
}
