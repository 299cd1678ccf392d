import type { Sql } from '../../db/database.ts';

/** Returns the holders of labels with their base domain; null for that of the instance. */
export const selectLabelHolders = (sql: Sql, labels: string[]) =>
  sql
    .selectFrom('host_names')
    .innerJoin('projects', 'projects.id', 'host_names.projectId')
    .leftJoin('servers', (join) => join.onRef('servers.id', '=', 'projects.serverId').on('servers.kind', '=', 'ssh'))
    .select([
      'host_names.name as label',
      'host_names.organizationId',
      'host_names.projectId',
      'host_names.environment',
      'projects.createdAt',
      'servers.id as serverId',
      'servers.baseDomain',
    ])
    .where('host_names.name', 'in', labels.length ? labels : [''])
    .execute();

/** Returns the project that has an issued certificate for this name. */
export async function selectProvenProject(sql: Sql, name: string): Promise<string | undefined> {
  const row = await sql
    .selectFrom('certificates')
    .select('projectId')
    .where('name', '=', name)
    .where('source', '=', 'acme')
    .executeTakeFirst();
  return row?.projectId ?? undefined;
}
