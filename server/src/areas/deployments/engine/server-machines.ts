import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../db/database.ts';
import type { ServerRuntime, ServerTable } from '../../../db/tables.ts';
import type { Edge } from '../../../drivers/edge/edge.ts';
import type { OpenPort } from '../../../drivers/host/open-port.ts';
import type { Runtime } from '../../../drivers/runtime/runtime.ts';
import type { SwarmServer } from '../../../drivers/runtime/swarm/swarm-server.ts';
import type { UseSsh } from '../../../drivers/ssh/held-socket.ts';
import { AppError, conflict } from '../../../errors.ts';
import { decideRuntime, type ServerAccess, type ServerNode } from '../../servers/port.ts';
import { awayReasonOf } from '../model/failure.ts';
import { ifKnown, IsNodeError, type Machines, type MachineRef } from '../model/machines.ts';
import type { ContainerParts, Parts } from '../model/parts.ts';
import { hadUpkeep } from './server-upkeep-lease.ts';
import { KeptContents } from '../contents/contents.ts';
import { selectServersInUse } from '../model/store.ts';

/** A server as drivers connect to it. */
export interface ReachedServer {
  id: string;
  name: string;
  use: UseSsh;
  /** Local folder for data about the server. */
  folder: string;
  edge: { port: number; tlsPort: number };
  runtime: ServerRuntime;
  /** Returns its node of a Swarm, if one was recorded. */
  nodeId: () => Promise<string | undefined>;
  /** Returns the other servers of its organization that are nodes of a Swarm. */
  nodes: () => Promise<SwarmServer[]>;
  /** Called when something changes on the server. */
  onChange: () => void;
}

/** Returns the nodes besides the head. One with projects of its own has an edge of its own. */
export const nodesBeside = (nodes: readonly ServerNode[], headId?: string): SwarmServer[] =>
  nodes
    .filter(({ serverId, access: { runtime } }) => serverId !== headId && (runtime === null || runtime === 'node'))
    .map(({ nodeId, access }) => ({
      nodeId,
      name: access.name,
      use: (task, options) => access.use(task, options),
      edge: { port: access.edgePort, tlsPort: access.edgeTlsPort },
    }));

/** The drivers of a server. */
export interface ServerDrivers {
  runtime: Runtime;
  containers: ContainerParts;
  edge: Edge;
  openPort: OpenPort;
  homeFolder: () => Promise<string>;
  /** Stops the edge there and removes everything of ours that belongs to no project. */
  dismantle(): Promise<void>;
  /** Disconnects. Containers on the server keep running. */
  close(): Promise<void>;
}

/** How a server can run projects. `members`: the nodes of its Swarm, if it knows them. `hasContainers`: projects run
 * there already. */
export type FoundRuntime = {
  runtime: 'docker' | 'swarm';
  swarmNodeId: string | null;
  members: string[];
  hasContainers: boolean;
};

/** A server that is about to be removed. */
export type LeftServer = Pick<ServerTable, 'id' | 'organizationId' | 'swarmNodeId' | 'runtime'>;

const dismantleMs = 45_000;
/** Longer than drivers of a cluster use a list of its nodes. */
const leaveMs = 2000;

export type ServerMachinesOptions = {
  db: Db;
  here: Parts;
  access: (organizationId: string, serverId: string) => Promise<ServerAccess | undefined>;
  /** Returns access to all servers of the instance by their ids. */
  accessAll: () => Promise<ReadonlyMap<string, ServerAccess>>;
  /** Returns the servers of an organization that are nodes of a Swarm. */
  nodes: (organizationId: string) => Promise<ServerNode[]>;
  driversOn: (server: ReachedServer) => Promise<ServerDrivers>;
  /** Finds out how a server that nothing was deployed to shall run projects. */
  runtimeOn: (use: UseSsh) => Promise<FoundRuntime | undefined>;
  onChange: (serverId: string) => void;
  /** Receives problems of single servers. */
  report: (what: string, error: unknown) => void;
};

type SshAccess = ServerAccess & { kind: 'ssh' };
type Decided = { id: string; organizationId: string; runtime: ServerRuntime };
type Known = { settings: string; parts: Promise<Parts>; drivers: Promise<ServerDrivers> };

/** This machine and the servers that projects deploy to. Each is created on first use. */
export class ServerMachines implements Machines {
  readonly here: Parts;
  readonly #options: ServerMachinesOptions;
  readonly #known = new Map<string, Known>();

  constructor(options: ServerMachinesOptions) {
    this.here = options.here;
    this.#options = options;
  }

  async of({ organizationId, serverId }: MachineRef): Promise<Parts> {
    if (serverId === null) return this.here;
    return this.#partsOn(organizationId, serverId, await this.#options.access(organizationId, serverId));
  }

  async #partsOn(organizationId: string, serverId: string, access: ServerAccess | undefined): Promise<Parts> {
    if (!access) {
      this.forget(serverId);
      throw new AppError('not_found', 'the server of this deployment was removed');
    }
    if (access.kind === 'this_machine') return this.here;
    if (access.runtime === 'node') {
      // It belongs to the drivers of its cluster, which have another edge there.
      this.forget(serverId);
      throw new IsNodeError(access.name);
    }
    const { name, localFolder, baseDomain, edgePort, edgeTlsPort } = access;
    const runtime = access.runtime ?? (await this.#decided(organizationId, serverId, access));
    const settings = JSON.stringify([name, localFolder, baseDomain, edgePort, edgeTlsPort, runtime]);
    const known = this.#known.get(serverId);
    if (known?.settings === settings) return known.parts;
    // Changed settings only replace the connection; containers keep running.
    if (known) this.#let(known);
    const made = this.#make({ id: serverId, organizationId, runtime }, access);
    this.#known.set(serverId, { settings, ...made });
    made.parts.catch(() => this.#known.delete(serverId));
    return made.parts;
  }

  /** A server that does not respond runs Docker for now. */
  async #decided(organizationId: string, serverId: string, access: SshAccess) {
    const found = await this.#options.runtimeOn((task, options) => access.use(task, options));
    if (!found) return 'docker';
    const { hasContainers, members: _, ...decided } = found;
    // Projects that run there already stay where they are.
    const head = hasContainers ? undefined : await this.#headOf(organizationId, decided.swarmNodeId);
    if (head)
      throw new AppError(
        'conflict',
        `${access.name} is a node of the cluster of ${head.access.name}; deploy the project to ${head.access.name}`,
      );
    await decideRuntime(this.#options.db, organizationId, serverId, decided);
    return decided.runtime;
  }

  /** Returns the server of a cluster that has the node. One that does not respond may have it. */
  async #headOf(organizationId: string, nodeId: string | null): Promise<ServerNode | undefined> {
    if (nodeId === null) return undefined;
    const nodes = await this.#options.nodes(organizationId);
    const heads = nodes.filter(({ access }) => access.runtime === 'swarm');
    const isThere = async ({ access }: ServerNode) => {
      const found = await this.#options.runtimeOn((task, options) => access.use(task, options));
      return found?.members.includes(nodeId) ?? true;
    };
    const areThere = await Promise.all(heads.map(isThere));
    return heads.find((_, i) => areThere[i]);
  }

  /** One server that cannot be used does not keep the others from upkeep. */
  async onServers(): Promise<Parts[]> {
    const used = await selectServersInUse(this.#options.db);
    const accesses = await this.#options.accessAll();
    // Another replica may have made a server that projects were deployed to a node.
    for (const id of this.#known.keys()) {
      const access = accesses.get(id);
      if (access?.kind === 'ssh' && access.runtime === 'node') this.forget(id);
    }
    // Old deployments may refer to a server that was removed since.
    const partsOn = async ({ organizationId, serverId }: (typeof used)[number]) => {
      try {
        return await ifKnown(this.#partsOn(organizationId, serverId!, accesses.get(serverId!)));
      } catch (error) {
        this.#options.report(`the server ${serverId} is skipped by upkeep`, error);
        return undefined;
      }
    };
    const found = await Promise.all(used.map(partsOn));
    return found.flatMap((parts) => (parts && parts !== this.here ? [parts] : []));
  }

  /** Cleans up a server before it is removed. Returns a message if something is left there. */
  async leave({ id, organizationId, swarmNodeId, runtime: seen }: LeftServer): Promise<string | undefined> {
    this.forget(id);
    const { db } = this.#options;
    const access = await this.#options.access(organizationId, id);
    if (access?.kind !== 'ssh') return undefined;
    // A node that has become the server of its cluster meanwhile would remove all services.
    if (access.runtime !== seen) throw conflict(`${access.name} was changed in the meantime; try again`);
    const folder = this.#folderOf(access);
    const mayBeNode = access.runtime === null && swarmNodeId !== null;
    // Nothing of ours was ever there.
    if (!mayBeNode && !existsSync(folder) && !(await hadUpkeep(db, id))) return undefined;
    if (mayBeNode) {
      // From now on no cluster starts an edge there.
      await decideRuntime(db, organizationId, id, { runtime: 'docker', swarmNodeId: null });
      await sleep(leaveMs);
    }
    const runtime = access.runtime ?? 'docker';
    const drivers = await this.#driversOn({ id, organizationId, runtime }, access);
    try {
      const late = sleep(dismantleMs, undefined, { ref: false }).then(() =>
        Promise.reject(new Error('it took too long')),
      );
      // Containers of a node belong to its cluster.
      await Promise.race([mayBeNode ? drivers.dismantle() : leaveNothing(drivers), late]);
    } catch (error) {
      const { message } = awayReasonOf(error);
      return `the server ${access.name} was not cleaned up: ${message}. If an edge of Mooring still runs there, remove the container and the volume mooring-edge-${this.here.instanceId} by hand`;
    } finally {
      await drivers.close();
    }
    await rm(folder, { recursive: true, force: true });
    return undefined;
  }

  /** Removes the edge from a server that leaves its cluster. */
  async removeEdge({ id, organizationId }: Pick<LeftServer, 'id' | 'organizationId'>): Promise<void> {
    const access = await this.#options.access(organizationId, id);
    if (access?.kind !== 'ssh') return;
    const drivers = await this.#driversOn({ id, organizationId, runtime: 'docker' }, access);
    try {
      await drivers.dismantle();
    } finally {
      await drivers.close();
    }
  }

  async close(): Promise<void> {
    const all = [...this.#known.values()];
    this.#known.clear();
    await Promise.allSettled(all.map(async ({ drivers }) => (await drivers).close()));
  }

  /** Closes its drivers; the next use creates others. */
  forget(id: string): void {
    const known = this.#known.get(id);
    this.#known.delete(id);
    if (known) this.#let(known);
  }

  #folderOf = ({ localFolder }: SshAccess): string => join(this.here.folders.dataDir, 'servers', localFolder);

  #let({ drivers }: Known): void {
    void drivers.then(
      (made) => made.close(),
      // Failed drivers need no closing.
      () => {},
    );
  }

  #driversOn({ id, organizationId, runtime }: Decided, access: SshAccess): Promise<ServerDrivers> {
    const { driversOn, onChange } = this.#options;
    const known = () => this.#options.nodes(organizationId);
    const nodes = async () => nodesBeside(await known(), id);
    const nodeId = async () => (await known()).find(({ serverId }) => serverId === id)?.nodeId;
    const { name, edgePort: port, edgeTlsPort: tlsPort } = access;
    const use: UseSsh = (task, options) => access.use(task, options);
    const folder = this.#folderOf(access);
    const edge = { port, tlsPort };
    return driversOn({ id, name, use, folder, edge, runtime, nodeId, nodes, onChange: () => onChange(id) });
  }

  #make(server: Decided, access: SshAccess): Pick<Known, 'parts' | 'drivers'> {
    const { here } = this.#options;
    const { id } = server;
    const { name, baseDomain, edgePort, edgeTlsPort } = access;
    const drivers = this.#driversOn(server, access);
    const parts = drivers.then(({ runtime, containers, edge, openPort, homeFolder }) => {
      const edgePorts = { http: [edgePort], tls: [edgeTlsPort] };
      const contents = new KeptContents(this.#folderOf(access));
      const own = { runtime, containers, edge, edgePorts, openPort, homeFolder, contents };
      return { ...here, ...own, server: { id, name }, baseDomain: baseDomain ?? here.baseDomain };
    });
    return { drivers, parts };
  }
}

/** No project is left there: anything that runs belongs to one that was removed while the server was away. */
async function leaveNothing(drivers: ServerDrivers): Promise<void> {
  const { runtime, containers } = drivers;
  const ids = new Set((await runtime.list()).map(({ owner }) => owner.deploymentId));
  await Promise.all([...ids].map((id) => runtime.remove(id)));
  for (const { image } of await containers.images.list()) await containers.images.remove(image);
  await drivers.dismantle();
}
