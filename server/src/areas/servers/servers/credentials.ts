import { columnName } from '../../../db/column-names.ts';
import type { ServerTable } from '../../../db/tables.ts';
import { badRequest } from '../../../errors.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { newSshKey } from '../../../lib/ssh-key.ts';

export const secretColumns = ['password', 'privateKey', 'passphrase'] as const;
type SecretColumn = (typeof secretColumns)[number];

/** Change of credentials: undefined keeps, null clears, a string replaces. */
export interface CredentialChange {
  password?: string | null | undefined;
  privateKey?: string | null | undefined;
  passphrase?: string | null | undefined;
  generateKey?: boolean | undefined;
}

export type StoredCredentials = Pick<ServerTable, SecretColumn | 'publicKey'>;
type OpenCredentials = Record<SecretColumn, string | undefined>;

/** Seals and opens the credentials of servers. */
export class ServerCredentials {
  readonly #sealer: Sealer;

  constructor(sealer: Sealer) {
    this.#sealer = sealer;
  }

  open(row: Pick<ServerTable, 'id' | SecretColumn>): OpenCredentials {
    const plain = (column: SecretColumn) => {
      const sealed = row[column];
      return sealed === null ? undefined : this.#sealer.open(sealed, place(row.id, column));
    };
    return { password: plain('password'), privateKey: plain('privateKey'), passphrase: plain('passphrase') };
  }

  /** Returns the credentials to store. An unreadable key is rejected now rather than at the first use. */
  async changed(row: StoredCredentials & { id: string; name: string }, change: CredentialChange) {
    const { password, privateKey, passphrase, generateKey } = change;
    const after: StoredCredentials = {
      password: row.password,
      privateKey: row.privateKey,
      passphrase: row.passphrase,
      publicKey: row.publicKey,
    };
    const set = (column: SecretColumn, value: string | null | undefined) => {
      if (value === undefined) return;
      after[column] = value === null ? null : this.#sealer.seal(value, place(row.id, column));
    };
    set('password', password);
    set('passphrase', passphrase);
    set('privateKey', privateKey);
    if (privateKey === null || generateKey) set('passphrase', null);
    if (privateKey === null) after.publicKey = null;
    if (privateKey || passphrase) after.publicKey = await this.#publicHalf({ ...after, id: row.id });
    if (generateKey) {
      const made = newSshKey(`mooring-${row.id}`);
      set('privateKey', made.privateKey);
      after.publicKey = made.publicKey;
    }
    return after;
  }

  async #publicHalf(row: StoredCredentials & { id: string }): Promise<string> {
    const { privateKey: key, passphrase } = this.open(row);
    if (key === undefined) throw badRequest('passphrase needs a privateKey', 'passphrase');
    // Loaded lazily: instances without servers do not need it.
    const { openPrivateKey } = await import('../../../drivers/ssh/private-key.ts');
    const { SshError } = await import('../../../drivers/ssh/ssh.ts');
    try {
      return (await openPrivateKey(key, passphrase)).publicHalf;
    } catch (error) {
      if (error instanceof SshError)
        throw badRequest(`privateKey is not valid: ${error.message}. ${validKey}`, 'privateKey');
      throw error;
    }
  }
}

const validKey =
  'A valid one is the whole file that ssh-keygen writes, from -----BEGIN OPENSSH PRIVATE KEY----- on, or a PEM file. ' +
  'If it has a passphrase, give that too';

const place = (row: string, column: SecretColumn) => ({ table: 'servers', column: columnName(column), row });
