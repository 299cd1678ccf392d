import type { Sql } from '../../../db/database.ts';
import type { AdoptionTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';
import { originalsIn } from '../../deployments/port.ts';

export const insertAdoption = (sql: Sql, { organizationId, ...row }: AdoptionTable) =>
  tenant(sql, organizationId).insert('adoptions', row).execute();

/** Names of projects that have something on a server and have not given it back. */
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

/** Containers that projects have taken over and not given back, whosever they are: one machine may be known under two names,
 * and to two organizations. */
export async function selectTakenOver(sql: Sql): Promise<Set<string>> {
  const rows = await sql.selectFrom('adoptions').select('originals').where('state', '!=', 'undone').execute();
  return new Set(rows.flatMap((row) => Object.values(originalsIn(row)).flat()).map(({ containerId }) => containerId));
}
