import type { Sql } from '../../../db/database.ts';

// Edges serve whosever names they are: which machine a project lives on is asked for all of them.

const columns = [
  'servers.id',
  'servers.organizationId',
  'servers.name',
  'servers.host',
  'servers.baseDomain',
  'servers.edgePort',
  'servers.edgeTlsPort',
] as const;

const overSsh = (sql: Sql) => sql.selectFrom('servers').select(columns).where('servers.kind', '=', 'ssh');

/** A server that projects live on, without what opens it. */
export type ServerOfProjects = Awaited<ReturnType<typeof selectServersById>>[number];

/** Those of the ids that are other machines than this one. */
export const selectServersById = (sql: Sql, ids: string[]) =>
  overSsh(sql)
    .where('servers.id', 'in', ids.length ? ids : [''])
    .execute();

export const selectServerOfProject = (sql: Sql, projectId: string) =>
  overSsh(sql)
    .innerJoin('projects', 'projects.serverId', 'servers.id')
    .where('projects.id', '=', projectId)
    .executeTakeFirst();

/** Those that something is deployed to. One that nothing was ever deployed to has no edge, and gets none by being asked. */
export const selectServersWithEdges = (sql: Sql) =>
  overSsh(sql)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('deployments')
          .select('deployments.id')
          .whereRef('deployments.serverId', '=', 'servers.id')
          .where((or) => or.or([or('deployments.active', '=', 1), or('deployments.artifactKept', '=', 1)])),
      ),
    )
    .orderBy('servers.id')
    .execute();
