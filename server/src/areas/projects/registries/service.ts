import { type Db, inTransaction, type Sql } from '../../../db/database.ts';
import type { RegistryTable } from '../../../db/tables.ts';
import { conflict, notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { newId } from '../../../lib/ids.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { lockOrganization, recordAudit } from '../../access/port.ts';
import type { RegistryBody, RegistryChange } from './schemas.ts';
import {
  deleteRegistry,
  insertRegistry,
  selectRegistries,
  selectRegistry,
  selectRegistryAt,
  updateRegistry,
} from './store.ts';

export type RegistryLogin = { registry: string; username: string; password: string };

const place = (row: string) => ({ table: 'registries', column: 'password', row });

/** Registry logins of an organization. Passwords are given to the engine only. */
export class Registries {
  readonly #db: Db;
  readonly #sealer: Sealer;

  constructor(db: Db, sealer: Sealer) {
    this.#db = db;
    this.#sealer = sealer;
  }

  list = (caller: Caller): Promise<RegistryTable[]> => selectRegistries(this.#db, caller.organization.id);

  async get(caller: Caller, id: string): Promise<RegistryTable> {
    const row = await selectRegistry(this.#db, caller.organization.id, id);
    if (!row) throw notFound('registry');
    return row;
  }

  create(caller: Caller, { address, username, password }: RegistryBody): Promise<RegistryTable> {
    const organizationId = caller.organization.id;
    return inTransaction(this.#db, async (trx) => {
      await lockOrganization(trx, organizationId);
      if (await selectRegistryAt(trx, organizationId, address))
        throw conflict(`a login for ${address} already exists; change that one`);
      const id = newId('reg');
      const now = Date.now();
      const row = {
        id,
        organizationId,
        address,
        username,
        password: this.#sealer.seal(password, place(id)),
        createdAt: now,
        updatedAt: now,
      };
      await insertRegistry(trx, row);
      await recordAudit(trx, organizationId, caller, {
        action: 'registry.created',
        target: { id, name: address },
        details: { username },
      });
      return row;
    });
  }

  async update(caller: Caller, id: string, change: RegistryChange): Promise<RegistryTable> {
    return inTransaction(this.#db, async (trx) => {
      const before = await selectRegistry(trx, caller.organization.id, id);
      if (!before) throw notFound('registry');
      const row = {
        ...before,
        username: change.username ?? before.username,
        password: change.password === undefined ? before.password : this.#sealer.seal(change.password, place(id)),
        updatedAt: Date.now(),
      };
      await updateRegistry(trx, row);
      const fields = Object.keys(change).join(', ');
      const target = { id, name: row.address };
      await recordAudit(trx, row.organizationId, caller, { action: 'registry.updated', target, details: { fields } });
      return row;
    });
  }

  async delete(caller: Caller, id: string): Promise<void> {
    const row = await this.get(caller, id);
    await inTransaction(this.#db, async (trx) => {
      await deleteRegistry(trx, row.organizationId, id);
      const target = { id, name: row.address };
      await recordAudit(trx, row.organizationId, caller, { action: 'registry.deleted', target });
    });
  }

  /** Returns logins with passwords, to pull and build; must not be part of a response. */
  async loginsOf(sql: Sql, organizationId: string): Promise<RegistryLogin[]> {
    const rows = await selectRegistries(sql, organizationId);
    return rows.map(({ id, address, username, password }) => ({
      registry: address,
      username,
      password: this.#sealer.open(password, place(id)),
    }));
  }
}
