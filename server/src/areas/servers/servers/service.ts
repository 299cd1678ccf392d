import { type Sql, type Db, inTransaction, type Trx } from '../../../db/database.ts';
import type { ServerTable } from '../../../db/tables.ts';
import { conflict, forbidden, notFound } from '../../../errors.ts';
import { type Caller, hasPermission } from '../../../http/caller.ts';
import { newId } from '../../../lib/ids.ts';
import { grantedIds, lockOrganization, hasAccessTo, recordAudit, withdrawGrants } from '../../access/port.ts';
import type { ServerCheck } from '../check/outcome.ts';
import { type ChangedServer, changedServer, requireChangeable } from './change.ts';
import { type ServerCredentials, secretColumns, type StoredCredentials } from './credentials.ts';
import type { ServerBody, ServerChange } from './schemas.ts';
import {
  deleteServer,
  insertServer,
  lockServer,
  recordCheck,
  releaseNodes,
  selectServer,
  selectServerByName,
  selectServers,
  selectThisMachine,
  updateServer,
} from './store.ts';
import { visibleServer } from './visible.ts';

type Options = {
  db: Db;
  mode: 'self-hosted' | 'cloud';
  credentials: ServerCredentials;
  /** Tests a server; problems are part of the result, not thrown. */
  check: (row: ServerTable) => Promise<ServerCheck>;
  /** Drops pooled connections that use outdated settings. */
  forget: (id: string) => void;
};

/**
 * Runs before a server is deleted, in the same transaction with the organization locked; an error keeps the server.
 */
export type BeforeServerDelete = (trx: Trx, caller: Caller, server: ServerTable) => Promise<void>;

/** Cleans up a server before it is deleted; returns what could not be removed. */
export type BeforeServerLeave = (server: ServerTable) => Promise<string | undefined>;

export class Servers {
  readonly #options: Options;
  readonly #beforeDelete: BeforeServerDelete[] = [];
  readonly #beforeLeave: BeforeServerLeave[] = [];

  constructor(options: Options) {
    this.#options = options;
  }

  list = (caller: Caller): Promise<ServerTable[]> =>
    selectServers(this.#options.db, caller.organization.id, grantedIds(caller, 'server', 'list'));

  get = (caller: Caller, id: string): Promise<ServerTable> => visibleServer(this.#options.db, caller, id, 'read');

  /** Throws a 404 if the caller cannot read the server. */
  async requireVisible(caller: Caller, id: string): Promise<void> {
    const row = await selectServer(this.#options.db, caller.organization.id, id);
    if (!row || !hasPermission(caller, 'server:read') || !hasAccessTo(caller, 'server', id, 'read'))
      throw notFound('server');
  }

  /** Returns a server that the caller may deploy to; null for this machine. */
  async targetFor(sql: Sql, caller: Caller, id: string): Promise<string | null> {
    if (!hasPermission(caller, 'server:write')) throw forbidden('this needs the permission server:write');
    const { kind } = await visibleServer(sql, caller, id, 'write');
    // Otherwise it could become a node before the caller's transaction ends.
    if (sql.isTransaction) await lockServer(sql, caller.organization.id, id);
    const { runtime, name } = await visibleServer(sql, caller, id, 'write');
    if (runtime === 'node') throw conflict(`${name} is a node of a cluster; deploy to the server of the cluster`);
    return kind === 'this_machine' ? null : id;
  }

  async create(caller: Caller, body: ServerBody): Promise<ServerTable> {
    this.#requireMayAdd(caller, body);
    const organizationId = caller.organization.id;
    const row = await this.#newRow(organizationId, body);
    return inTransaction(this.#options.db, async (trx) => {
      await lockOrganization(trx, organizationId);
      await requireFreeName(trx, organizationId, row.name);
      if (row.kind === 'this_machine' && (await selectThisMachine(trx, organizationId)))
        throw conflict('this machine is already a server');
      await insertServer(trx, row);
      const { kind, host, port, username: user } = row;
      const details = { kind, ...(kind === 'ssh' && { host, port, user }) };
      await recordAudit(trx, organizationId, caller, { action: 'server.created', target: row, details });
      return row;
    });
  }

  async update(caller: Caller, id: string, change: ServerChange): Promise<ChangedServer> {
    const seen = await visibleServer(this.#options.db, caller, id, 'write');
    requireChangeable(seen, change);
    // Opening a key is slow, so it happens outside the transaction.
    const credentials = await this.#options.credentials.changed(seen, change);
    const changed = await inTransaction(this.#options.db, async (trx) => {
      await lockOrganization(trx, caller.organization.id);
      const before = await visibleServer(trx, caller, id, 'write');
      if (change.name !== undefined && change.name !== before.name)
        await requireFreeName(trx, before.organizationId, change.name);
      const outcome = changedServer(before, change, stillChanged(seen, before, credentials));
      await updateServer(trx, outcome.row);
      await this.#recordChange(trx, caller, outcome, change);
      return outcome;
    });
    this.#options.forget(id);
    return changed;
  }

  /** Returns what is left on the server, if anything. */
  async delete(caller: Caller, id: string): Promise<string | undefined> {
    const { db } = this.#options;
    const seen = await visibleServer(db, caller, id, 'admin');
    const { name, organizationId } = seen;
    // Checked first, so that nothing is removed from a server in use.
    await inTransaction(db, (trx) => this.#requireUnused(trx, caller, id));
    const left: string[] = [];
    for (const hook of this.#beforeLeave) left.push((await hook(seen)) ?? '');
    await inTransaction(db, async (trx) => {
      // Prevents a concurrent use while it is deleted.
      await lockOrganization(trx, organizationId);
      await this.#requireUnused(trx, caller, id);
      await deleteServer(trx, organizationId, id);
      await releaseNodes(trx, organizationId);
      await withdrawGrants(trx, organizationId, 'server', id);
      await recordAudit(trx, organizationId, caller, { action: 'server.deleted', target: { id, name } });
    });
    this.#options.forget(id);
    return left.filter(Boolean).join('. ') || undefined;
  }

  async #requireUnused(trx: Trx, caller: Caller, id: string): Promise<void> {
    const server = await visibleServer(trx, caller, id, 'admin');
    for (const hook of this.#beforeDelete) await hook(trx, caller, server);
  }

  /** Registers a check before deletion. */
  beforeDelete(hook: BeforeServerDelete): void {
    this.#beforeDelete.push(hook);
  }

  /** Registers a cleanup before deletion. */
  beforeLeave(hook: BeforeServerLeave): void {
    this.#beforeLeave.push(hook);
  }

  /** Tests the server and stores the result. */
  async test(caller: Caller, id: string): Promise<ServerCheck> {
    const row = await visibleServer(this.#options.db, caller, id, 'write');
    const check = await this.#options.check(row);
    await inTransaction(this.#options.db, async (trx) => {
      const { numUpdatedRows } = await recordCheck(trx, row, Date.now(), check);
      if (!numUpdatedRows) throw notFound('server');
      const details = { ok: check.ok, ...(check.code && { code: check.code }) };
      await recordAudit(trx, row.organizationId, caller, { action: 'server.tested', target: row, details });
    });
    return check;
  }

  /** This machine belongs to the instance owner. */
  #requireMayAdd({ organization, isInstanceOwner }: Caller, { kind }: ServerBody): void {
    if (organization.role === 'restricted') throw forbidden('you have grants on single servers and cannot add one');
    if (kind !== 'this_machine') return;
    if (this.#options.mode === 'cloud') throw forbidden('this machine cannot be a server in cloud mode');
    if (!isInstanceOwner) throw forbidden('only the instance owner may add this machine');
  }

  async #newRow(organizationId: string, body: ServerBody): Promise<ServerTable> {
    const now = Date.now();
    const isSsh = body.kind === 'ssh';
    const none = { password: null, privateKey: null, passphrase: null, publicKey: null };
    const own = { id: newId('srv'), name: body.name, ...none };
    return {
      ...own,
      ...(isSsh && (await this.#options.credentials.changed(own, body))),
      organizationId,
      kind: body.kind,
      host: body.host ?? null,
      port: isSsh ? (body.port ?? 22) : null,
      username: body.user ?? null,
      hostKey: null,
      lastCheckedAt: null,
      lastCheck: null,
      baseDomain: body.baseDomain ?? null,
      edgePort: body.edgePort ?? null,
      edgeTlsPort: body.edgeTlsPort ?? null,
      runtime: null,
      swarmNodeId: null,
      folder: null,
      createdAt: now,
      updatedAt: now,
    };
  }

  async #recordChange(
    trx: Trx,
    caller: Caller,
    { row, isForgotten }: ChangedServer,
    change: ServerChange,
  ): Promise<void> {
    const details = { fields: Object.keys(change).join(', ') };
    const note = { target: { id: row.id, name: row.name } };
    await recordAudit(trx, row.organizationId, caller, { action: 'server.updated', ...note, details });
    if (isForgotten)
      await recordAudit(trx, row.organizationId, caller, { action: 'server.host_key_forgotten', ...note });
  }
}

/**
 * Returns the changed credentials if the stored ones are still those that were read; without a change, the stored
 * ones.
 */
function stillChanged(seen: ServerTable, before: ServerTable, changed: StoredCredentials): StoredCredentials {
  const isSame = (a: StoredCredentials, b: StoredCredentials) => secretColumns.every((each) => a[each] === b[each]);
  if (isSame(seen, before)) return changed;
  if (isSame(seen, changed)) return before;
  throw conflict("the server's credentials were changed at the same time; try again");
}

async function requireFreeName(trx: Trx, organizationId: string, name: string): Promise<void> {
  if (await selectServerByName(trx, organizationId, name)) throw conflict(`a server ${name} already exists`);
}
