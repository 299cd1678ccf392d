import type { Db } from '../../db/database.ts';
import type { ServerRuntime, ServerTable } from '../../db/tables.ts';
import { engineAt, type EngineConnect } from '../../drivers/runtime/docker/engine/client.ts';
import { engineOverSsh } from '../../drivers/runtime/docker/engine/over-ssh.ts';
import type { SshPool } from '../../drivers/ssh/pool.ts';
import { type SshConnection, SshError, type SshTarget } from '../../drivers/ssh/ssh.ts';
import type { OutboundReach } from '../../lib/outbound.ts';
import type { ServerCredentials } from './servers/credentials.ts';
import {
  pinServerHostKey,
  selectAllServers,
  selectNodes,
  selectOwnersOfThisMachine,
  selectServer,
} from './servers/store.ts';

/** Access to a server for other areas. Each use reads the stored settings again. */
export type ServerAccess =
  | {
      kind: 'ssh';
      name: string;
      /** Name of the local folder for data about its projects. */
      localFolder: string;
      /** Domain of free names there; null for that of the instance. */
      baseDomain: string | null;
      edgePort: number;
      edgeTlsPort: number;
      /** Null: not decided yet. */
      runtime: ServerRuntime | null;
      use<T>(task: (connection: SshConnection) => Promise<T>, options: { signal?: AbortSignal }): Promise<T>;
    }
  | { kind: 'this_machine'; name: string };

/** A server that is a node of a Swarm. */
export interface ServerNode {
  nodeId: string;
  serverId: string;
  access: ServerAccess & { kind: 'ssh' };
}

type Options = { db: Db; credentials: ServerCredentials; reach: OutboundReach; connectMs: number };

/** Pooled connections to servers, bound to the host key of the first use. */
export class ServerConnections {
  readonly #options: Options;
  #pool: Promise<SshPool> | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Returns undefined if the server does not exist or belongs to another organization. */
  async access(organizationId: string, serverId: string): Promise<ServerAccess | undefined> {
    const row = await selectServer(this.#options.db, organizationId, serverId);
    return row && this.#accessOf(row);
  }

  /** Returns access to all servers of the instance by their ids, with one query. */
  async accessAll(): Promise<Map<string, ServerAccess>> {
    const rows = await selectAllServers(this.#options.db);
    return new Map(rows.map((row) => [row.id, this.#accessOf(row)]));
  }

  #accessOf(row: ServerTable): ServerAccess {
    return row.kind === 'this_machine' ? { kind: 'this_machine', name: row.name } : this.#sshAccess(row);
  }

  /** Returns the servers of the organization that are nodes of a Swarm; without one, those of the owners of this
   * machine. */
  async nodes(organizationId?: string): Promise<ServerNode[]> {
    const { db } = this.#options;
    const owners = organizationId ? [{ organizationId }] : await selectOwnersOfThisMachine(db);
    const rows = await Promise.all(owners.map((owner) => selectNodes(db, owner.organizationId)));
    return rows.flat().map((row) => ({ nodeId: row.swarmNodeId!, serverId: row.id, access: this.#sshAccess(row) }));
  }

  /** Connects to the container engine of a server. */
  engineOf(row: ServerTable, dockerHost: string): EngineConnect {
    if (row.kind === 'this_machine') return engineAt(dockerHost);
    const access = this.#sshAccess(row);
    return engineOverSsh((task, options) => access.use(task, options));
  }

  #sshAccess({ id: serverId, organizationId, name, ...row }: ServerTable): ServerAccess & { kind: 'ssh' } {
    return {
      kind: 'ssh',
      name,
      localFolder: row.folder ?? serverId,
      baseDomain: row.baseDomain,
      edgePort: row.edgePort ?? 80,
      edgeTlsPort: row.edgeTlsPort ?? 443,
      runtime: row.runtime,
      use: async (task, options) => {
        const now = await selectServer(this.#options.db, organizationId, serverId);
        if (!now) throw new SshError('not_found', `the server ${name} was removed`);
        const pool = await (this.#pool ??= newPool());
        return pool.use(
          serverId,
          this.targetOf(now),
          async (connection) => {
            await this.pin(now, connection.hostKey);
            return task(connection);
          },
          { deadlineMs: this.#options.connectMs, ...options },
        );
      },
    };
  }

  targetOf(row: ServerTable): SshTarget {
    const { password, privateKey, passphrase } = this.#options.credentials.open(row);
    if (password === undefined && privateKey === undefined)
      throw new SshError('bad_key', `neither a password nor a private key is stored for ${row.name}`);
    return {
      host: row.host!,
      port: row.port!,
      user: row.username!,
      reach: this.#options.reach,
      ...(password !== undefined && { password }),
      ...(privateKey !== undefined && { privateKey }),
      ...(privateKey !== undefined && passphrase !== undefined && { passphrase }),
      ...(row.hostKey !== null && { hostKey: row.hostKey }),
    };
  }

  /**
   * Pins the host key at the first use. Of concurrent connections the first one decides, and the others must match
   * it.
   */
  async pin(row: ServerTable, shown: string): Promise<void> {
    if (row.hostKey !== null || (await pinServerHostKey(this.#options.db, row, shown))) return;
    const now = await selectServer(this.#options.db, row.organizationId, row.id);
    if (now?.hostKey === shown) return;
    if (!now || now.host !== row.host || now.port !== row.port || now.hostKey === null)
      throw new SshError('lost', `the server ${row.name} was changed in the meantime; try again`);
    throw new SshError(
      'host_key_changed',
      `${row.host}:${row.port} presents different host keys on different connections`,
    );
  }

  forget(serverId: string): void {
    void this.#pool?.then(
      (pool) => pool.forget(serverId),
      // Without a pool there is nothing to forget; the error was reported to its user.
      () => {},
    );
  }

  async close(): Promise<void> {
    (await this.#pool)?.close();
  }
}

/** Loaded lazily: instances without servers do not need it. */
const newPool = async (): Promise<SshPool> => new (await import('../../drivers/ssh/pool.ts')).SshPool();
