import { type Db, inTransaction, type Trx } from '../../../db/database.ts';
import type { BackupKeyTable } from '../../../db/tables.ts';
import { badRequest } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { type AgeIdentity, newIdentityFile, parseIdentity, recipientText } from '../../../lib/archive/age-keys.ts';
import { newId } from '../../../lib/ids.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { lockOrganization, recordAudit } from '../../access/port.ts';
import { insertKey, markExported, selectKeys } from './store.ts';

const place = (row: string) => ({ table: 'backup_keys', column: 'identity', row });

/** The keys that the archives of an organization are encrypted with. Old ones stay, to decrypt old archives. */
export class BackupKeys {
  readonly #db: Db;
  readonly #sealer: Sealer;

  constructor({ db, sealer }: { db: Db; sealer: Sealer }) {
    [this.#db, this.#sealer] = [db, sealer];
  }

  list = (organizationId: string): Promise<BackupKeyTable[]> => selectKeys(this.#db, organizationId);

  /** Creates the first key of the organization if there is none. */
  async ensure(trx: Trx, organizationId: string): Promise<void> {
    if ((await selectKeys(trx, organizationId)).length) return;
    await this.#add(trx, organizationId);
  }

  /** Returns the key that new archives are encrypted with. */
  async recipient(organizationId: string): Promise<Buffer> {
    const [newest] = await this.identities(organizationId);
    if (!newest) throw new Error(`organization ${organizationId} has no backup key`);
    return newest.recipient;
  }

  /** All keys that may decrypt an archive, newest first. */
  async identities(organizationId: string): Promise<AgeIdentity[]> {
    return (await this.list(organizationId)).map((row) => parseIdentity(this.#opened(row), 'the stored backup key'));
  }

  /** Returns an identity file for `age -d -i` with all keys. */
  async export(caller: Caller): Promise<string> {
    const organizationId = caller.organization.id;
    const rows = await inTransaction(this.#db, async (trx) => {
      await this.ensure(trx, organizationId);
      await markExported(trx, organizationId, Date.now());
      await recordAudit(trx, organizationId, caller, { action: 'backup_key.exported' });
      return selectKeys(trx, organizationId);
    });
    return rows.map((row) => this.#opened(row)).join('');
  }

  /** Adds the keys of an identity file, to read archives of another instance. New archives do not use them. */
  async import(caller: Caller, file: string): Promise<number> {
    const organizationId = caller.organization.id;
    const lines = file.split('\n').filter((line) => line.trim().startsWith('AGE-SECRET-KEY-'));
    const found = lines.map((line) => {
      try {
        return { line: `${line.trim()}\n`, recipient: recipientText(parseIdentity(line, 'the key').recipient) };
      } catch {
        throw badRequest('identities must be a backup key: lines that begin with AGE-SECRET-KEY-1', 'identities');
      }
    });
    if (!found.length)
      throw badRequest('identities must be a backup key: lines that begin with AGE-SECRET-KEY-1', 'identities');
    return inTransaction(this.#db, async (trx) => {
      await lockOrganization(trx, organizationId);
      await this.ensure(trx, organizationId);
      const known = await selectKeys(trx, organizationId);
      const fresh = found.filter(({ recipient }) => !known.some((row) => row.recipient === recipient));
      // Before all others, so that the newest stays the one that encrypts.
      for (const { line } of fresh) await this.#add(trx, organizationId, { file: line, createdAt: 0 });
      await recordAudit(trx, organizationId, caller, {
        action: 'backup_key.imported',
        details: { keys: fresh.length },
      });
      return fresh.length;
    });
  }

  /** New archives use a new key from now on. */
  async rotate(caller: Caller): Promise<BackupKeyTable> {
    const organizationId = caller.organization.id;
    return inTransaction(this.#db, async (trx) => {
      await lockOrganization(trx, organizationId);
      const row = await this.#add(trx, organizationId);
      await recordAudit(trx, organizationId, caller, { action: 'backup_key.rotated', details: { key: row.recipient } });
      return row;
    });
  }

  async #add(
    trx: Trx,
    organizationId: string,
    { file = newIdentityFile(), createdAt = Date.now() } = {},
  ): Promise<BackupKeyTable> {
    const id = newId('bky', createdAt);
    const row: BackupKeyTable = {
      id,
      organizationId,
      recipient: recipientText(parseIdentity(file, 'the new key').recipient),
      identity: this.#sealer.seal(file, place(id)),
      exportedAt: null,
      createdAt,
    };
    await insertKey(trx, row);
    return row;
  }

  #opened(row: BackupKeyTable): string {
    return this.#sealer.open(row.identity, place(row.id));
  }
}
