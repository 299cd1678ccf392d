import type { Db, Sql, Trx } from '../../../db/database.ts';
import type { ServerTable } from '../../../db/tables.ts';
import { EngineClient, type EngineConnect } from '../../../drivers/runtime/docker/engine/client.ts';
import { EngineError } from '../../../drivers/runtime/docker/engine/errors.ts';
import { EngineAwayError } from '../../../drivers/runtime/errors.ts';
import { nodesOf, ownNode } from '../../../drivers/runtime/swarm/membership.ts';
import type { NodeInfo } from '../../../drivers/runtime/swarm/types.ts';
import { AppError, conflict, forbidden } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { selectServers } from '../servers/store.ts';
import { visibleServer } from '../servers/visible.ts';

/** Operations of the deployment engine that a cluster needs. */
export interface ClusterHooks {
  /** Throws if projects run on the server. */
  requireEmpty(trx: Trx, caller: Caller, serverId: string): Promise<void>;
  /** Moves everything that can run elsewhere away from a node, without a failed request. */
  moveAway(head: ServerTable, engine: EngineClient, nodeId: string): Promise<void>;
  /** Removes the edge from a server that leaves. */
  removeEdge(server: ServerTable): Promise<void>;
  /** Lets projects be deployed to another server of their cluster. Throws while something is being deployed. */
  moveProjects(trx: Trx, from: ServerTable, to: ServerTable): Promise<void>;
  /** Disconnects from a server that projects are not deployed to any more. */
  forget(server: ServerTable): void;
}

export type ClusterOptions = {
  db: Db;
  instanceId: string;
  /** Whether this machine runs its projects on a Swarm. */
  isSwarmHere: boolean;
  connectTo: (row: ServerTable) => EngineConnect;
  hooks: () => ClusterHooks;
};

/** The servers of a cluster, and the way to their engines. */
export class ClusterMembers {
  readonly #options: ClusterOptions;

  constructor(options: ClusterOptions) {
    this.#options = options;
  }

  servers = (caller: Caller): Promise<ServerTable[]> => selectServers(this.#options.db, caller.organization.id, 'all');

  /** Returns a server that the caller may change. */
  async ownServer(caller: Caller, id: string, sql: Sql = this.#options.db): Promise<ServerTable> {
    const row = await visibleServer(sql, caller, id, 'admin');
    if (row.kind === 'this_machine' && !caller.isInstanceOwner)
      throw forbidden('only the instance owner may change the cluster of this machine');
    return row;
  }

  /** Returns the server of a cluster that the caller may change. */
  async head(caller: Caller, id: string, sql?: Sql): Promise<ServerTable> {
    const row = await this.ownServer(caller, id, sql);
    if (row.runtime !== 'swarm')
      throw conflict(
        row.runtime === 'node'
          ? `${row.name} is a node, and not the server of its cluster`
          : `${row.name} is not the server of a cluster; run \`mooring cluster init ${row.name}\` first`,
      );
    return row;
  }

  /** Runs the task with the head, or with another manager of its cluster while the head does not respond; with the
   * node `avoided` (its id or host name) only if no other one responds. */
  async onManager<T>(head: ServerTable, task: (engine: EngineClient) => Promise<T>, avoided?: string): Promise<T> {
    return this.on(await this.#managerOf(head, avoided), task);
  }

  async #managerOf(head: ServerTable, avoided: string | undefined): Promise<ServerTable> {
    if (head.runtime !== 'swarm' || (await this.#nodesAsManager(head))) return head;
    const all = await selectServers(this.#options.db, head.organizationId, 'all');
    const isOnlyCluster = all.filter(({ runtime }) => runtime === 'swarm').length === 1;
    // Without another manager, the error of the head says what is wrong.
    let last = head;
    for (const each of all) {
      if (each.runtime === 'swarm' || each.runtime === 'docker') continue;
      const nodes = (await this.#nodesAsManager(each)) ?? [];
      const own = nodes.find(({ ID }) => ID === each.swarmNodeId);
      // Somebody may have removed the node of the head.
      const isSame = nodes.some(({ ID }) => ID === head.swarmNodeId) || (isOnlyCluster && each.runtime === 'node');
      if (!own || !isSame) continue;
      if (own.ID !== avoided && own.Description.Hostname !== avoided) return each;
      last = each;
    }
    return last;
  }

  /** Returns the nodes of its cluster if the server is the manager that was recorded. A machine that was installed
   * again may be in another Swarm. */
  async #nodesAsManager(server: ServerTable): Promise<NodeInfo[] | undefined> {
    if (server.swarmNodeId === null) return undefined;
    try {
      return await this.on(server, async (engine) => {
        const own = await ownNode(engine);
        return own?.isManager && own.id === server.swarmNodeId ? nodesOf(engine) : undefined;
      });
    } catch (error) {
      if (error instanceof AppError && error.code === 'runtime_unavailable') return undefined;
      throw error;
    }
  }

  /** Runs the task with the engine of a server. What Docker says of it is for the caller. */
  async on<T>(row: ServerTable, task: (engine: EngineClient) => Promise<T>): Promise<T> {
    const engine = new EngineClient(this.#options.connectTo(row));
    try {
      return await task(engine);
    } catch (error) {
      if (error instanceof EngineError || error instanceof EngineAwayError)
        throw new AppError('runtime_unavailable', `${row.name}: ${error.message}`, { cause: error });
      throw error;
    } finally {
      engine.close();
    }
  }
}
