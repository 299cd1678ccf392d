import { type Config, outboundReachOf } from '../../config.ts';
import type { Db } from '../../db/database.ts';
import type { ServerTable } from '../../db/tables.ts';
import type { Route } from '../../http/define-route.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { GrantTargets } from '../access/port.ts';
import type { ServerCheck } from './check/outcome.ts';
import { type ServerAccess, ServerConnections, type ServerNode } from './connections.ts';
import { clusterRoutes } from './cluster/routes.ts';
import type { ClusterHooks } from './cluster/members.ts';
import { Clusters } from './cluster/service.ts';
import { ServerCredentials } from './servers/credentials.ts';
import { serverRoutes } from './servers/routes.ts';
import { Servers } from './servers/service.ts';
import { selectKnownServers } from './servers/store.ts';

/** Managed servers and the connections to them. */
export interface ServersArea {
  routes: Route[];
  servers: Servers;
  /** Returns access to a server; undefined if it does not exist or belongs to another organization. */
  access(organizationId: string, serverId: string): Promise<ServerAccess | undefined>;
  /** Returns access to all servers of the instance by their ids. */
  accessAll(): Promise<Map<string, ServerAccess>>;
  /** Sets what the engine of deployments does for clusters. */
  useClusterHooks(hooks: ClusterHooks): void;
  /** Returns the servers of the organization that are nodes of a Swarm; without one, those of the owners of this
   * machine. */
  nodes(organizationId?: string): Promise<ServerNode[]>;
  stop(): Promise<void>;
}

type Options = {
  db: Db;
  config: Pick<Config, 'mode' | 'sshTimeout' | 'dockerHost' | 'allowPrivateTargets' | 'runtime'>;
  instanceId: string;
  sealer: Sealer;
  grantTargets: GrantTargets;
};

export function createServers({ db, config, instanceId, sealer, grantTargets }: Options): ServersArea {
  const { mode, sshTimeout, dockerHost } = config;
  const credentials = new ServerCredentials(sealer);
  const connectMs = sshTimeout * 1000;
  const times = { connectMs, allMs: 2 * connectMs };
  const reach = outboundReachOf(config);
  const connections = new ServerConnections({ db, credentials, reach, connectMs });
  // Loaded only when a server is tested.
  const check = async (row: ServerTable): Promise<ServerCheck> =>
    row.kind === 'this_machine'
      ? (await import('./check/check-here.ts')).checkHere(dockerHost, times.allMs)
      : (await import('./check/check.ts')).checkOverSsh(connections, row, times);
  let hooks: ClusterHooks | undefined;
  const clusters = new Clusters({
    db,
    instanceId,
    isSwarmHere: config.runtime === 'swarm',
    connectTo: (row) => connections.engineOf(row, dockerHost),
    hooks: () => hooks!,
  });
  const servers = new Servers({ db, mode, credentials, check, forget: (id) => connections.forget(id) });
  grantTargets.tellOf('server', selectKnownServers);
  return {
    routes: [...serverRoutes(servers), ...clusterRoutes(clusters)],
    useClusterHooks: (given) => void (hooks = given),
    servers,
    access: (organizationId, serverId) => connections.access(organizationId, serverId),
    accessAll: () => connections.accessAll(),
    nodes: (organizationId) => connections.nodes(organizationId),
    stop: () => connections.close(),
  };
}
