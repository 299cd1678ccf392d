import type { Db } from '../../db/database.ts';
import type { ServerTable } from '../../db/tables.ts';
import type { SshPool } from '../../drivers/ssh/pool.ts';
import { type SshConnection, SshError, type SshTarget } from '../../drivers/ssh/ssh.ts';
import type { Reach } from '../../lib/outbound.ts';
import type { ServerCredentials } from './servers/credentials.ts';
import { pinServerHostKey, selectServer } from './servers/store.ts';

/** A machine as other areas use it. Each use is with what is stored at that moment. */
export type ServerAccess =
  | {
      kind: 'ssh';
      name: string;
      /** Free names of projects there are below it; null: below the instance's own. */
      baseDomain: string | null;
      edgePort: number;
      edgeTlsPort: number;
      use<T>(task: (connection: SshConnection) => Promise<T>, options: { signal?: AbortSignal }): Promise<T>;
    }
  | { kind: 'this_machine'; name: string };

type Options = { db: Db; credentials: ServerCredentials; reach: Reach; connectMs: number };

/** Connections to servers: pooled, and only to the machine that was there at the first use. */
export class ServerConnections {
  readonly #options: Options;
  #pool: Promise<SshPool> | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Undefined for a server that is not there, or is another organization's. */
  async access(organizationId: string, serverId: string): Promise<ServerAccess | undefined> {
    const row = await selectServer(this.#options.db, organizationId, serverId);
    if (!row) return undefined;
    const { name, baseDomain, edgePort, edgeTlsPort } = row;
    if (row.kind === 'this_machine') return { kind: 'this_machine', name };
    return {
      kind: 'ssh',
      name,
      baseDomain,
      edgePort: edgePort ?? 80,
      edgeTlsPort: edgeTlsPort ?? 443,
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

  /** At the first use. Of several at once, the first one decides and the others hold what they saw against it. */
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
    // Where it could not be made there is nothing to forget, and whoever wanted it has been told.
    void this.#pool?.then(
      (pool) => pool.forget(serverId),
      // Without a pool there is nothing to forget.
      () => {},
    );
  }

  async close(): Promise<void> {
    (await this.#pool)?.close();
  }
}

/** Loaded only here: an instance without servers never pays for it. */
const newPool = async (): Promise<SshPool> => new (await import('../../drivers/ssh/pool.ts')).SshPool();
