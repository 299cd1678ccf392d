import { type Sql, type Db, inTransaction, type Trx } from '../../../db/database.ts';
import type { ServerTable } from '../../../db/tables.ts';
import { conflict, forbidden, notFound } from '../../../errors.ts';
import { type Caller, may } from '../../../http/caller.ts';
import { newId } from '../../../lib/ids.ts';
import { grantedIds, lockOrganization, mayOn, recordAudit, withdrawGrants } from '../../access/port.ts';
import type { ServerCheck } from '../check/outcome.ts';
import { type Changed, changedServer, requireChangeable } from './change.ts';
import { type ServerCredentials, secretColumns, type StoredCredentials } from './credentials.ts';
import type { ServerBody, ServerChange } from './schemas.ts';
import {
  deleteServer,
  insertServer,
  recordCheck,
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
  /** Looks at a server, and says what is wrong with it instead of throwing. */
  check: (row: ServerTable) => Promise<ServerCheck>;
  /** Nothing goes on being used that was let in by what is no longer true. */
  forget: (id: string) => void;
};

/** Runs before a server is removed, in the same transaction and with the organization held; what it throws keeps it. */
export type BeforeServerDelete = (trx: Trx, caller: Caller, server: ServerTable) => Promise<void>;

/** Takes away what is on a server, before it is forgotten; gives what could not be. */
export type BeforeServerLeave = (server: ServerTable) => Promise<string | undefined>;

/** The machines of an organization. */
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

  /** For areas that are told the id of a server: what the caller could not look at is not there. */
  async requireVisible(caller: Caller, id: string): Promise<void> {
    const row = await selectServer(this.#options.db, caller.organization.id, id);
    if (!row || !may(caller, 'server:read') || !mayOn(caller, 'server', id, 'read')) throw notFound('server');
  }

  /** A server that the caller may deploy to; null when it is this machine. */
  async targetFor(sql: Sql, caller: Caller, id: string): Promise<string | null> {
    if (!may(caller, 'server:write')) throw forbidden('this needs the permission server:write');
    const { kind } = await visibleServer(sql, caller, id, 'write');
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

  async update(caller: Caller, id: string, change: ServerChange): Promise<Changed> {
    const seen = await visibleServer(this.#options.db, caller, id, 'write');
    requireChangeable(seen, change);
    // Opening a key takes long, so nobody waits for it with the database in hand.
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

  /** Gives what is left on it, if something is. */
  async delete(caller: Caller, id: string): Promise<string | undefined> {
    const { db } = this.#options;
    const seen = await visibleServer(db, caller, id, 'admin');
    const { name, organizationId } = seen;
    // Nothing is taken away from one that is in use.
    await inTransaction(db, (trx) => this.#requireUnused(trx, caller, id));
    const left: string[] = [];
    for (const hook of this.#beforeLeave) left.push((await hook(seen)) ?? '');
    await inTransaction(db, async (trx) => {
      // Nobody begins to use it while it goes.
      await lockOrganization(trx, organizationId);
      await this.#requireUnused(trx, caller, id);
      await deleteServer(trx, organizationId, id);
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

  /** For areas that come later and use servers. */
  beforeDelete(hook: BeforeServerDelete): void {
    this.#beforeDelete.push(hook);
  }

  /** For areas that have something there also when nobody uses it. */
  beforeLeave(hook: BeforeServerLeave): void {
    this.#beforeLeave.push(hook);
  }

  /** Looks at it now, and keeps what was found. */
  async test(caller: Caller, id: string): Promise<ServerCheck> {
    const row = await visibleServer(this.#options.db, caller, id, 'write');
    const check = await this.#options.check(row);
    await inTransaction(this.#options.db, async (trx) => {
      const { numUpdatedRows } = await recordCheck(trx, row, Date.now(), JSON.stringify(check));
      if (!numUpdatedRows) throw notFound('server');
      const details = { ok: check.ok, ...(check.code && { code: check.code }) };
      await recordAudit(trx, row.organizationId, caller, { action: 'server.tested', target: row, details });
    });
    return check;
  }

  /** This machine belongs to whoever set the instance up, and to nobody else. */
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
      createdAt: now,
      updatedAt: now,
    };
  }

  async #recordChange(trx: Trx, caller: Caller, { row, isForgotten }: Changed, change: ServerChange): Promise<void> {
    const details = { fields: Object.keys(change).join(', ') };
    const note = { target: { id: row.id, name: row.name } };
    await recordAudit(trx, row.organizationId, caller, { action: 'server.updated', ...note, details });
    if (isForgotten)
      await recordAudit(trx, row.organizationId, caller, { action: 'server.host_key_forgotten', ...note });
  }
}

/** What was to become of the credentials, if they are still those that this was made of; without a change, what they are. */
function stillChanged(seen: ServerTable, before: ServerTable, changed: StoredCredentials): StoredCredentials {
  const isSame = (a: StoredCredentials, b: StoredCredentials) => secretColumns.every((each) => a[each] === b[each]);
  if (isSame(seen, before)) return changed;
  if (isSame(seen, changed)) return before;
  throw conflict('somebody else changed its credentials at the same time; try again');
}

async function requireFreeName(trx: Trx, organizationId: string, name: string): Promise<void> {
  if (await selectServerByName(trx, organizationId, name)) throw conflict(`a server ${name} already exists`);
}
