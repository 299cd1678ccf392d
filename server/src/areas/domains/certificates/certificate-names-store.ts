import type { Sql } from '../../../db/database.ts';

// Not scoped to a tenant: names are unique across the instance, and certificates are renewed for all organizations.

export const selectDomainOwner = (sql: Sql, name: string) =>
  sql.selectFrom('domains').select(['name', 'organizationId', 'projectId']).where('name', '=', name).executeTakeFirst();

export const selectDomainOwners = (sql: Sql) =>
  sql.selectFrom('domains').select(['name', 'organizationId', 'projectId']).orderBy('name').execute();

const activeLabels = (sql: Sql) =>
  sql
    .selectFrom('host_names')
    .innerJoin('projects', 'projects.id', 'host_names.projectId')
    .leftJoin('servers', (join) => join.onRef('servers.id', '=', 'projects.serverId').on('servers.kind', '=', 'ssh'))
    .select(['host_names.name', 'host_names.organizationId', 'host_names.projectId'])
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('deployments')
          .select('deployments.id')
          .whereRef('deployments.projectId', '=', 'host_names.projectId')
          .whereRef('deployments.environment', '=', 'host_names.environment')
          .where('deployments.active', '=', 1),
      ),
    );

/** Labels with an active release on this machine. */
export const selectActiveLabelsHere = (sql: Sql) =>
  activeLabels(sql).where('servers.id', 'is', null).orderBy('host_names.name').execute();

export const isActiveLabel = async (sql: Sql, label: string): Promise<boolean> =>
  (await activeLabels(sql).where('host_names.name', '=', label).executeTakeFirst()) !== undefined;

const activeOnServers = (sql: Sql) =>
  sql
    .selectFrom('deployments')
    .innerJoin('projects', 'projects.id', 'deployments.projectId')
    .innerJoin('servers', 'servers.id', 'projects.serverId')
    .select(['deployments.projectId', 'deployments.organizationId', 'deployments.urls'])
    .where('deployments.active', '=', 1)
    .where('servers.kind', '=', 'ssh');

/** URLs of active releases on servers, as stored when they were routed: servers are not queried for it. */
export const selectActiveOnServers = (sql: Sql) => activeOnServers(sql).execute();

export const selectActiveOnServer = (sql: Sql, projectId: string) =>
  activeOnServers(sql).where('deployments.projectId', '=', projectId).execute();

export const updatePointing = (sql: Sql, name: string, pointing: string) =>
  sql.updateTable('domains').set({ pointing, checkedAt: Date.now() }).where('name', '=', name).execute();
