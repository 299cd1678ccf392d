import { type DriverLog, reportTo } from './container-engine.ts';
import type { SwarmServer } from './drivers/runtime/swarm/swarm-server.ts';
import { NodeCaller } from './drivers/node-caller.ts';
import { openFromEdge } from './drivers/edge/on-server/open-from-edge.ts';
import { registryNetwork } from './drivers/images/registry/registry-network.ts';
import { registryRelay, type RegistrySettings } from './swarm-registry.ts';
import { edgeContainerName } from './drivers/edge/on-server/container-body.ts';
import {
  type EdgePrograms,
  createServerEdge,
  type EdgeClients,
  type ServerEdge,
  type ServerEdgeOptions,
} from './drivers/edge/on-server/server-edge.ts';
import { type NodeEdge, severalEdges } from './drivers/edge/several-edges.ts';
import type { Edge } from './drivers/edge/edge.ts';
import type { OpenPort } from './drivers/host/open-port.ts';
import { EngineClient, type EngineConnect } from './drivers/runtime/docker/engine/client.ts';
import { engineOverSsh } from './drivers/runtime/docker/engine/over-ssh.ts';
import { EngineAwayError } from './drivers/runtime/errors.ts';
import { joinNetworks, leaveNetworks } from './drivers/runtime/swarm/join-networks.ts';
import { ManagerConnections } from './drivers/runtime/swarm/manager-connect.ts';
import { leavingLabel, nodesFreshMs, nodesOf } from './drivers/runtime/swarm/membership.ts';
import { OwnServices } from './drivers/runtime/swarm/own-services.ts';
import { Placement } from './drivers/runtime/swarm/placement.ts';
import { networkIdsOf, serviceView } from './drivers/runtime/swarm/service-view.ts';
import type { SwarmRuntimeOptions } from './drivers/runtime/swarm/swarm-runtime.ts';
import type { NodeInfo } from './drivers/runtime/swarm/types.ts';

/** The manager that projects are deployed to. */
export interface SwarmHead {
  name: string;
  connect: EngineConnect;
  settings: ServerEdgeOptions['settings'];
  /** Folder of the service's socket, if the head is its machine. */
  socketFolder?: string;
  /** Returns its node as it was recorded, for when it is away. */
  nodeId?: () => Promise<string | undefined>;
  /** Returns servers that may be nodes of this Swarm. */
  servers: () => Promise<readonly SwarmServer[]>;
}

export interface SwarmDrivers {
  edge: Edge;
  openPort: OpenPort;
  runtime: Pick<SwarmRuntimeOptions, 'managerClient' | 'ownNodeId' | 'otherNodes' | 'onNetworks' | 'onUnusedNetworks'>;
  /** The engines of the nodes besides the head. */
  otherEngines: () => Promise<EngineClient[]>;
  /** Starts the edge of the head, through which its engine reaches our own registry. */
  ensureEdge: () => Promise<void>;
  /** Removes the edges from all nodes. */
  dismantle(): Promise<void>;
  close(): void;
}

export type SwarmDriversOptions = {
  instanceId: string;
  bundle: EdgePrograms;
  log: DriverLog;
  registry: RegistrySettings;
  clients: EdgeClients | undefined;
};
type Node = {
  id: string;
  name: string;
  connect: EngineConnect;
  engine: EngineClient;
  edge: ServerEdge;
  isManager: boolean;
};

/** Creates the drivers that reach services of a Swarm. Their networks are closed to this machine, so an edge runs in a
 * container of every node that we reach, and joins them. */
export function swarmDrivers(head: SwarmHead, options: SwarmDriversOptions): SwarmDrivers {
  const { instanceId, bundle, log, clients } = options;
  const relay = registryRelay(options.registry, instanceId);
  const report = reportTo(log);
  const others = new Map<string, Node & { settings: string }>();
  const all = (): Node[] => [own, ...others.values()];
  /** The head first. */
  const managers = new ManagerConnections(
    () => {
      const known = all().filter(({ isManager }) => isManager);
      return (known.length ? known : all()).map((node) => node.connect);
    },
    (worker) => setManager(all().find((node) => node.connect === worker) ?? own, false),
  );
  const engine = managers.client();
  const placement = new Placement(engine, instanceId);
  const services = new OwnServices(engine, instanceId);
  const container = edgeContainerName(instanceId);

  function nodeAt(id: string, name: string, at: EngineConnect, settings: SwarmHead['settings'], socket?: string): Node {
    const client = new EngineClient(at);
    const joinAll = async () => {
      // Also networks that others have created.
      const reached = (await services.list()).filter((service) => serviceView(service).port > 0);
      const needed = reached.flatMap(({ info }) => networkIdsOf(info.Spec));
      if (relay) needed.push(await registryNetwork(engine, instanceId));
      await joinNetworks(client, container, [...new Set(needed)]);
    };
    const published = { joinNetworks: joinAll, ...(relay && { relay }), ...(socket && { socketFolder: socket }) };
    const own = { settings, clients, published, report: reportTo(log, name) };
    const edge = createServerEdge({ engine: client, instanceId, bundle, ...own });
    return { id, name, connect: at, engine: client, edge, isManager: true };
  }

  const own = nodeAt('', head.name, head.connect, head.settings, head.socketFolder);
  let looking: { at: number; nodes: Promise<Node[]> } | undefined;

  const nodes = (): Promise<Node[]> => {
    if (!looking || Date.now() - looking.at > nodesFreshMs) looking = { at: Date.now(), nodes: find() };
    return looking.nodes;
  };

  /** While no manager answers, the nodes are those that we know. */
  async function find(): Promise<Node[]> {
    own.id ||= await ownNodeId();
    const servers = await head.servers();
    try {
      take(await placement.nodes(), servers);
    } catch (error) {
      if (!(error instanceof EngineAwayError)) throw error;
      if (!others.size) await Promise.all(servers.map((server) => takeFrom(server, servers)));
    }
    return all();
  }

  async function ownNodeId(): Promise<string> {
    try {
      return await new Placement(own.engine, instanceId).ownNodeId();
    } catch (error) {
      const recorded = error instanceof EngineAwayError ? await head.nodeId?.() : undefined;
      if (!recorded) throw error;
      return recorded;
    }
  }

  /** Finds the nodes through another manager, if the head was away from the start. */
  async function takeFrom({ use }: SwarmServer, servers: readonly SwarmServer[]): Promise<void> {
    const client = new EngineClient(engineOverSsh(use));
    try {
      const members = await nodesOf(client);
      if (members.some(({ ID }) => ID === own.id)) take(members, servers);
    } catch (error) {
      if (!(error instanceof EngineAwayError)) throw error;
    } finally {
      client.close();
    }
  }

  function setManager(node: Node, isManager: boolean): void {
    node.isManager = isManager;
    if (!isManager) managers.leave(node.connect);
  }

  function take(members: readonly NodeInfo[], servers: readonly SwarmServer[]): void {
    const staying = members.filter(({ Spec }) => !Spec.Labels?.[leavingLabel]);
    const byId = new Map(staying.map((each) => [each.ID, each]));
    const wanted = servers.filter(({ nodeId }) => nodeId !== own.id && byId.has(nodeId));
    for (const [id, node] of others)
      if (!wanted.some((each) => each.nodeId === id && settingsOf(each) === node.settings)) {
        others.delete(id);
        managers.leave(node.connect);
        leave(node);
      }
    setManager(own, byId.get(own.id)?.Spec.Role === 'manager');
    for (const server of wanted) {
      const { nodeId, name, use, edge } = server;
      if (!others.has(nodeId)) {
        const settings = { host: '0.0.0.0', ...edge, publicPort: null, publicTlsPort: null };
        const made = nodeAt(nodeId, name, engineOverSsh(use), settings);
        others.set(nodeId, { ...made, settings: settingsOf(server) });
      }
      setManager(others.get(nodeId)!, byId.get(nodeId)!.Spec.Role === 'manager');
    }
  }

  const nodeEdges = async (): Promise<NodeEdge[]> =>
    (await nodes()).map((node) => ({ id: node.id, name: node.name, edge: node.edge, isHere: isHere(node) }));
  const isHere = (node: Node): boolean => node === own && head.socketFolder !== undefined;
  const isDown = (id: string) => placement.isDown(id);
  const each = new NodeCaller({ isDown });
  const edge = severalEdges({ head: own.edge, nodes: nodeEdges, isDown, report });

  return {
    edge,
    runtime: {
      managerClient: managers.client,
      ownNodeId: async () => (await nodes())[0]!.id,
      otherNodes: async () => (await nodes()).slice(1).map(({ id, connect: at }) => ({ id, connect: at })),
      // A node that was given up joins them when it is back and its edge is looked after.
      onNetworks: async (ids) =>
        void (await each.all(await nodes(), (node) => joinNetworks(node.engine, container, ids))),
      onUnusedNetworks: async (ids) =>
        void (await each.all(await nodes(), (node) => leaveNetworks(node.engine, container, ids))),
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
    ensureEdge: () => own.edge.ensure(),
    dismantle: async () => void (await Promise.all((await nodes()).map((node) => node.edge.dismantle()))),
    close() {
      for (const node of all()) leave(node);
      engine.close();
    },
  };
}

function leave({ edge, engine }: Node): void {
  edge.close();
  engine.close();
}

const settingsOf = ({ name, edge }: SwarmServer): string => JSON.stringify([name, edge]);
