import type { Sql } from '../../../db/database.ts';
import type { ServerTable } from '../../../db/tables.ts';
import type { ServerCheck } from '../check/outcome.ts';
import { tenant } from '../../../db/tenant.ts';

export function selectServers(sql: Sql, organizationId: string, ids: 'all' | string[]): Promise<ServerTable[]> {
  const all = tenant(sql, organizationId).select('servers').selectAll().orderBy('name').orderBy('id');
  return (ids === 'all' ? all : all.where('id', 'in', ids.length ? ids : [''])).execute();
}

export const selectServer = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).select('servers').selectAll().where('id', '=', id).executeTakeFirst();

/** An update locks on both databases; SQLite has no `for update`. */
export const lockServer = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId)
    .update('servers', {})
    .set((eb) => ({ name: eb.ref('servers.name') }))
    .where('id', '=', id)
    .execute();

/** Not scoped to a tenant: upkeep looks after the servers of all organizations. */
export const selectAllServers = (sql: Sql): Promise<ServerTable[]> => sql.selectFrom('servers').selectAll().execute();

export const selectServerByName = (sql: Sql, organizationId: string, name: string) =>
  tenant(sql, organizationId).select('servers').selectAll().where('name', '=', name).executeTakeFirst();

export const selectThisMachine = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId).select('servers').selectAll().where('kind', '=', 'this_machine').executeTakeFirst();

/** Returns the ids that are servers of the organization. */
export async function selectKnownServers(sql: Sql, organizationId: string, ids: string[]): Promise<Set<string>> {
  const rows = await tenant(sql, organizationId).select('servers').select('id').where('id', 'in', ids).execute();
  return new Set(rows.map(({ id }) => id));
}

export const insertServer = (sql: Sql, { organizationId, ...row }: ServerTable) =>
  tenant(sql, organizationId).insert('servers', row).execute();

export const updateServer = (sql: Sql, { organizationId, id, ...change }: ServerTable) =>
  tenant(sql, organizationId).update('servers', change).where('id', '=', id).execute();

export const deleteServer = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).delete('servers').where('id', '=', id).executeTakeFirst();

/** Returns the servers of the organization that are nodes of a Swarm. */
export const selectNodes = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId)
    .select('servers')
    .selectAll()
    .where('kind', '=', 'ssh')
    .where('swarmNodeId', 'is not', null)
    .orderBy('id')
    .execute();

/** Returns the organizations that own this machine: the instance owner has added it as a server. */
export const selectOwnersOfThisMachine = (sql: Sql) =>
  sql.selectFrom('servers').select('organizationId').where('kind', '=', 'this_machine').execute();

/** Keeps a runtime that is decided already. */
export const decideRuntime = (sql: Sql, organizationId: string, id: string, change: DecidedRuntime) =>
  tenant(sql, organizationId).update('servers', change).where('id', '=', id).where('runtime', 'is', null).execute();

type DecidedRuntime = Pick<ServerTable, 'runtime' | 'swarmNodeId'>;

/** Records the node of a server. Returns false if it was deleted meanwhile. */
export async function recordNode(sql: Sql, { organizationId, id }: ServerTable, change: DecidedRuntime) {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('servers', change)
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Makes a node the server that the projects of its cluster are deployed to. Their addresses and local data stay. */
export async function swapHead(sql: Sql, head: ServerTable, node: ServerTable, swarmNodeId: string): Promise<void> {
  const servers = tenant(sql, head.organizationId);
  const folderOf = ({ id, folder }: ServerTable) => folder ?? id;
  await servers
    .update('servers', { runtime: 'node', baseDomain: node.baseDomain, folder: folderOf(node) })
    .where('id', '=', head.id)
    .execute();
  await servers
    .update('servers', { runtime: 'swarm', baseDomain: head.baseDomain, folder: folderOf(head), swarmNodeId })
    .where('id', '=', node.id)
    .execute();
}

/** Lets the nodes of clusters be used and deleted like other servers when no cluster is left. */
export async function releaseNodes(sql: Sql, organizationId: string): Promise<void> {
  const servers = tenant(sql, organizationId);
  if (await servers.select('servers').select('id').where('runtime', '=', 'swarm').executeTakeFirst()) return;
  await servers.update('servers', { runtime: null }).where('runtime', '=', 'node').execute();
}

/** Keeps its node if the engine did not respond. */
export const recordCheck = (sql: Sql, { organizationId, id }: ServerTable, at: number, check: ServerCheck) =>
  tenant(sql, organizationId)
    .update('servers', {
      lastCheckedAt: at,
      lastCheck: JSON.stringify(check),
      ...(check.engine?.available && { swarmNodeId: check.engine.swarm?.nodeId ?? null }),
    })
    .where('id', '=', id)
    .executeTakeFirst();

/** Pins the host key if none is pinned and the address is unchanged; false otherwise. */
export async function pinServerHostKey(sql: Sql, row: ServerTable, hostKey: string): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, row.organizationId)
    .update('servers', { hostKey })
    .where('id', '=', row.id)
    .where('hostKey', 'is', null)
    .where('host', '=', row.host)
    .where('port', '=', row.port)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
