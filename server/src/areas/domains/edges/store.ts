import { isKeptOnMachine } from '../../../db/kept-deployments.ts';
import { databaseNow } from '../../../db/clock.ts';
import type { DatabaseKind, Sql } from '../../../db/database.ts';

// Not scoped to a tenant: edges serve the projects of all organizations.

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

/** A server without its credentials. */
export type ServerOfProjects = Awaited<ReturnType<typeof selectServersById>>[number];

/** Returns the servers among the ids that are not this machine. */
export const selectServersById = (sql: Sql, ids: string[]) =>
  overSsh(sql)
    .where('servers.id', 'in', ids.length ? ids : [''])
    .execute();

export const selectServerOfProject = (sql: Sql, projectId: string) =>
  overSsh(sql)
    .innerJoin('projects', 'projects.serverId', 'servers.id')
    .where('projects.id', '=', projectId)
    .executeTakeFirst();

/**
 * Returns servers with deployments, without those that another replica looks after. A server that was never deployed
 * to has no edge, and connecting must not create one.
 */
export const selectServersWithEdges = (sql: Sql, kind: DatabaseKind, owner: string) =>
  overSsh(sql)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('deployments')
          .select('deployments.id')
          .whereRef('deployments.serverId', '=', 'servers.id')
          .where(isKeptOnMachine)
          .where((or) => or.or([or('deployments.active', '=', 1), or('deployments.artifactKept', '=', 1)])),
      ),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('server_upkeep')
            .select('server_upkeep.serverId')
            .whereRef('server_upkeep.serverId', '=', 'servers.id')
            .where('server_upkeep.owner', '!=', owner)
            .where('server_upkeep.until', '>', databaseNow(kind)),
        ),
      ),
    )
    .orderBy('servers.id')
    .execute();
