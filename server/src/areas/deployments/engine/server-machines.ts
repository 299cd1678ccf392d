import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../db/database.ts';
import type { ServerTable } from '../../../db/tables.ts';
import type { Edge } from '../../../drivers/edge/edge.ts';
import type { OpenPort } from '../../../drivers/host/open-port.ts';
import type { Runtime } from '../../../drivers/runtime/runtime.ts';
import type { UseSsh } from '../../../drivers/ssh/held-socket.ts';
import { AppError } from '../../../errors.ts';
import type { ServerAccess } from '../../servers/port.ts';
import { reasonOf } from '../model/failure.ts';
import { partsIfKnown, type Machines, type MachineRef } from '../model/machines.ts';
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
  /** Called when something changes on the server. */
  onChange: () => void;
}

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

/** A server that is about to be removed. */
export type LeftServer = Pick<ServerTable, 'id' | 'organizationId'>;

const dismantleMs = 45_000;

type Options = {
  db: Db;
  here: Parts;
  access: (organizationId: string, serverId: string) => Promise<ServerAccess | undefined>;
  driversOn: (server: ReachedServer) => Promise<ServerDrivers>;
  onChange: (serverId: string) => void;
};

type Known = { settings: string; parts: Promise<Parts>; drivers: Promise<ServerDrivers> };

/** This machine and the servers that projects deploy to. Each is created on first use. */
export class ServerMachines implements Machines {
  readonly here: Parts;
  readonly #options: Options;
  readonly #known = new Map<string, Known>();

  constructor(options: Options) {
    this.here = options.here;
    this.#options = options;
  }

  async of({ organizationId, serverId }: MachineRef): Promise<Parts> {
    if (serverId === null) return this.here;
    const access = await this.#options.access(organizationId, serverId);
    if (!access) {
      this.#forget(serverId);
      throw new AppError('not_found', 'the server of this deployment was removed');
    }
    if (access.kind === 'this_machine') return this.here;
    const { name, baseDomain, edgePort, edgeTlsPort } = access;
    const settings = JSON.stringify([name, baseDomain, edgePort, edgeTlsPort]);
    const known = this.#known.get(serverId);
    if (known?.settings === settings) return known.parts;
    // Changed settings only replace the connection; containers keep running.
    if (known) this.#let(known);
    const made = this.#make(serverId, access);
    this.#known.set(serverId, { settings, ...made });
    made.parts.catch(() => this.#known.delete(serverId));
    return made.parts;
  }

  async onServers(): Promise<Parts[]> {
    const used = await selectServersInUse(this.#options.db);
    // Old deployments may refer to a server that was removed since.
    const found = await Promise.all(used.map((where) => partsIfKnown(this, where)));
    return found.flatMap((parts) => (parts && parts !== this.here ? [parts] : []));
  }

  /** Cleans up a server before it is removed. Returns a message if something is left there. */
  async leave({ id, organizationId }: LeftServer): Promise<string | undefined> {
    const folder = this.#folderOf(id);
    this.#forget(id);
    // Nothing of ours was ever there, or it is this machine.
    if (!existsSync(folder) && !(await hadUpkeep(this.#options.db, id))) return undefined;
    const access = await this.#options.access(organizationId, id);
    if (access?.kind !== 'ssh') return undefined;
    const drivers = await this.#driversOn(id, access);
    try {
      const late = sleep(dismantleMs, undefined, { ref: false }).then(() =>
        Promise.reject(new Error('it took too long')),
      );
      await Promise.race([leaveNothing(drivers), late]);
    } catch (error) {
      const { message } = reasonOf(error);
      return `the server ${access.name} was not cleaned up: ${message}. If an edge of Mooring still runs there, remove the container and the volume mooring-edge-${this.here.instanceId} by hand`;
    } finally {
      await drivers.close();
    }
    await rm(folder, { recursive: true, force: true });
    return undefined;
  }

  async close(): Promise<void> {
    const all = [...this.#known.values()];
    this.#known.clear();
    await Promise.allSettled(all.map(async ({ drivers }) => (await drivers).close()));
  }

  #forget(id: string): void {
    const known = this.#known.get(id);
    this.#known.delete(id);
    if (known) this.#let(known);
  }

  #folderOf = (id: string): string => join(this.here.folders.dataDir, 'servers', id);

  #let({ drivers }: Known): void {
    void drivers.then(
      (made) => made.close(),
      // Failed drivers need no closing.
      () => {},
    );
  }

  #driversOn(id: string, access: ServerAccess & { kind: 'ssh' }): Promise<ServerDrivers> {
    const { driversOn, onChange } = this.#options;
    const { name, edgePort: port, edgeTlsPort: tlsPort } = access;
    const use: UseSsh = (task, options) => access.use(task, options);
    const folder = this.#folderOf(id);
    return driversOn({ id, name, use, folder, edge: { port, tlsPort }, onChange: () => onChange(id) });
  }

  #make(id: string, access: ServerAccess & { kind: 'ssh' }): Pick<Known, 'parts' | 'drivers'> {
    const { here } = this.#options;
    const { name, baseDomain, edgePort, edgeTlsPort } = access;
    const drivers = this.#driversOn(id, access);
    const parts = drivers.then(({ runtime, containers, edge, openPort, homeFolder }) => {
      const edgePorts = { http: [edgePort], tls: [edgeTlsPort] };
      const contents = new KeptContents(this.#folderOf(id));
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
