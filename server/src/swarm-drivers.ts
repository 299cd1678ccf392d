import { type DriverLog, reportTo } from './container-engine.ts';
import type { SwarmServer } from './drivers/runtime/swarm/swarm-server.ts';
import { openFromEdge } from './drivers/edge/on-server/open-from-edge.ts';
import { registryNetwork } from './drivers/images/registry/registry-network.ts';
import { registryRelay, type RegistrySettings } from './swarm-registry.ts';
import { edgeContainerName } from './drivers/edge/on-server/container-body.ts';
import {
  type Bundle,
  createServerEdge,
  type ServerEdge,
  type ServerEdgeOptions,
} from './drivers/edge/on-server/server-edge.ts';
import { type NodeEdge, severalEdges } from './drivers/edge/several-edges.ts';
import type { Edge } from './drivers/edge/edge.ts';
import type { OpenPort } from './drivers/host/open-port.ts';
import { EngineClient, type EngineConnect } from './drivers/runtime/docker/engine/client.ts';
import { engineOverSsh } from './drivers/runtime/docker/engine/over-ssh.ts';
import { EngineAwayError } from './drivers/runtime/errors.ts';
import { joinNetworks } from './drivers/runtime/swarm/join-networks.ts';
import { connectToManager } from './drivers/runtime/swarm/manager-connect.ts';
import { leavingLabel, nodesFreshMs } from './drivers/runtime/swarm/membership.ts';
import { OverlayNetworks } from './drivers/runtime/swarm/overlay-networks.ts';
import { Placement } from './drivers/runtime/swarm/placement.ts';
import type { SwarmRuntimeOptions } from './drivers/runtime/swarm/swarm-runtime.ts';
import type { NodeInfo } from './drivers/runtime/swarm/types.ts';

/** The manager that projects are deployed to. */
export interface SwarmHead {
  name: string;
  connect: EngineConnect;
  settings: ServerEdgeOptions['settings'];
  /** Folder of the service's socket, if the head is its machine. */
  socketFolder?: string;
  /** Returns servers that may be nodes of this Swarm. */
  servers: () => Promise<readonly SwarmServer[]>;
}

export interface SwarmDrivers {
  edge: Edge;
  openPort: OpenPort;
  runtime: Pick<SwarmRuntimeOptions, 'managers' | 'otherNodes' | 'onNetworks'>;
  /** The engines of the nodes besides the head. */
  otherEngines: () => Promise<EngineClient[]>;
  /** Removes the edges from all nodes. */
  dismantle(): Promise<void>;
  close(): void;
}

export type SwarmDriversOptions = {
  instanceId: string;
  bundle: Bundle;
  log: DriverLog;
  registry: RegistrySettings;
};
type Node = { id: string; name: string; connect: EngineConnect; engine: EngineClient; edge: ServerEdge };

/** Creates the drivers that reach services of a Swarm. Their networks are closed to this machine, so an edge runs in a
 * container of every node that we reach, and joins them. */
export function swarmDrivers(head: SwarmHead, options: SwarmDriversOptions): SwarmDrivers {
  const { instanceId, bundle, log } = options;
  const relay = registryRelay(options.registry, instanceId);
  const report = reportTo(log);
  const others = new Map<string, Node & { settings: string; isManager: boolean }>();
  const managers = () => [...others.values()].filter(({ isManager }) => isManager).map(({ connect }) => connect);
  const connect = connectToManager(head.connect, managers);
  const engine = new EngineClient(connect);
  const placement = new Placement(engine, instanceId);
  const networks = new OverlayNetworks(engine, instanceId);
  const container = edgeContainerName(instanceId);

  function nodeAt(id: string, name: string, at: EngineConnect, settings: SwarmHead['settings'], socket?: string): Node {
    const client = new EngineClient(at);
    const onCreated = async () => {
      const known = (await networks.list()).map(({ Id }) => Id);
      if (relay) known.push(await registryNetwork(engine, instanceId));
      await joinNetworks(client, container, known);
    };
    const published = { onCreated, ...(relay && { relay }), ...(socket && { socketFolder: socket }) };
    const own = { settings, published, report: reportTo(log, name) };
    const edge = createServerEdge({ engine: client, instanceId, bundle, ...own });
    return { id, name, connect: at, engine: client, edge };
  }

  const own = nodeAt('', head.name, head.connect, head.settings, head.socketFolder);
  let looking: { at: number; nodes: Promise<Node[]> } | undefined;

  const nodes = (): Promise<Node[]> => {
    if (!looking || Date.now() - looking.at > nodesFreshMs) looking = { at: Date.now(), nodes: find() };
    return looking.nodes;
  };

  /** While no manager answers, the nodes are those that we know. */
  async function find(): Promise<Node[]> {
    own.id ||= await new Placement(own.engine, instanceId).ownNodeId();
    try {
      take(await placement.nodes(), await head.servers());
    } catch (error) {
      if (!(error instanceof EngineAwayError)) throw error;
    }
    return [own, ...others.values()];
  }

  function take(members: readonly NodeInfo[], servers: readonly SwarmServer[]): void {
    const staying = members.filter(({ Spec }) => !Spec.Labels?.[leavingLabel]);
    const byId = new Map(staying.map((each) => [each.ID, each]));
    const wanted = servers.filter(({ nodeId }) => nodeId !== own.id && byId.has(nodeId));
    for (const [id, node] of others)
      if (!wanted.some((each) => each.nodeId === id && settingsOf(each) === node.settings)) {
        others.delete(id);
        leave(node);
      }
    for (const server of wanted) {
      const { nodeId, name, use, edge } = server;
      const isManager = byId.get(nodeId)!.Spec.Role === 'manager';
      const known = others.get(nodeId);
      if (known) known.isManager = isManager;
      else {
        const settings = { host: '0.0.0.0', ...edge, publicPort: null, publicTlsPort: null };
        const made = nodeAt(nodeId, name, engineOverSsh(use), settings);
        others.set(nodeId, { ...made, settings: settingsOf(server), isManager });
      }
    }
  }

  const nodeEdges = async (): Promise<NodeEdge[]> =>
    (await nodes()).map((node) => ({ id: node.id, name: node.name, edge: node.edge, isHere: isHere(node) }));
  const isHere = (node: Node): boolean => node === own && head.socketFolder !== undefined;
  const isDown = (id: string) => placement.isDown(id);
  const edge = severalEdges({ head: own.edge, nodes: nodeEdges, isDown, report });

  return {
    edge,
    runtime: {
      managers: connect,
      otherNodes: async () => (await nodes()).slice(1).map(({ id, connect: at }) => ({ id, connect: at })),
      async onNetworks(ids) {
        const joining = (await nodes()).map(async (node) => {
          try {
            await joinNetworks(node.engine, container, ids);
          } catch (error) {
            // It joins them when its edge is looked after again.
            if (!(error instanceof EngineAwayError)) throw error;
            report(`the edge on ${node.name} has not joined the network`, error);
          }
        });
        await Promise.all(joining);
      },
    },
    async openPort(at, signal) {
      const failures: unknown[] = [];
      for (const node of await nodes())
        try {
          return await openFromEdge(node.engine, instanceId)(at, signal);
        } catch (error) {
          if (!(error instanceof EngineAwayError)) throw error;
          failures.push(error);
        }
      throw failures[0];
    },
    otherEngines: async () => (await nodes()).slice(1).map((node) => node.engine),
    dismantle: async () => void (await Promise.all((await nodes()).map((node) => node.edge.dismantle()))),
    close() {
      for (const node of [own, ...others.values()]) leave(node);
      engine.close();
    },
  };
}

function leave({ edge, engine }: Node): void {
  edge.close();
  engine.close();
}

const settingsOf = ({ name, edge }: SwarmServer): string => JSON.stringify([name, edge]);
