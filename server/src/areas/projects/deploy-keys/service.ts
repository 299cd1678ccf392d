import { type Db, inTransaction, type Sql } from '../../../db/database.ts';
import type { DeployKeyTable } from '../../../db/tables.ts';
import { notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { newId } from '../../../lib/ids.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { fingerprintOf, newSshKey } from '../../../lib/ssh-key.ts';
import { recordAudit } from '../../access/port.ts';
import { visibleProject } from '../projects/visible.ts';
import { deleteDeployKey, insertDeployKey, selectDeployKey } from './store.ts';

export type KeyPair = { publicKey: string; privateKey: string };

const place = (row: string) => ({ table: 'deploy_keys', column: 'private_key', row });

/** SSH deploy key of a project. The private key is given to git only. */
export class DeployKeys {
  readonly #db: Db;
  readonly #sealer: Sealer;

  constructor(db: Db, sealer: Sealer) {
    this.#db = db;
    this.#sealer = sealer;
  }

  async get(caller: Caller, projectId: string): Promise<DeployKeyTable> {
    await visibleProject(this.#db, caller, projectId, 'read');
    const key = await selectDeployKey(this.#db, caller.organization.id, projectId);
    if (!key) throw notFound('deploy key');
    return key;
  }

  /** Creates a key, replacing the previous one. */
  create(caller: Caller, projectId: string): Promise<DeployKeyTable> {
    return inTransaction(this.#db, async (trx) => {
      const project = await visibleProject(trx, caller, projectId, 'write');
      const made = newSshKey(`mooring-${project.slug}`);
      const id = newId('key');
      const row: DeployKeyTable = {
        id,
        organizationId: project.organizationId,
        projectId,
        publicKey: made.publicKey,
        fingerprint: made.fingerprint,
        privateKey: this.#sealer.seal(made.privateKey, place(id)),
        createdAt: Date.now(),
      };
      await deleteDeployKey(trx, row.organizationId, projectId);
      await insertDeployKey(trx, row);
      const details = { fingerprint: made.fingerprint };
      await recordAudit(trx, row.organizationId, caller, {
        action: 'project.deploy_key_created',
        target: project,
        details,
      });
      return row;
    });
  }

  delete(caller: Caller, projectId: string): Promise<void> {
    return inTransaction(this.#db, async (trx) => {
      const project = await visibleProject(trx, caller, projectId, 'write');
      const { numDeletedRows } = await deleteDeployKey(trx, project.organizationId, projectId);
      if (!numDeletedRows) throw notFound('deploy key');
      await recordAudit(trx, project.organizationId, caller, {
        action: 'project.deploy_key_deleted',
        target: project,
      });
    });
  }

  /** Stores the deploy key of a promoted project, or removes it. */
  take(caller: Caller, projectId: string, given: KeyPair | null): Promise<void> {
    return inTransaction(this.#db, async (trx) => {
      const { organizationId } = await visibleProject(trx, caller, projectId, 'write');
      await deleteDeployKey(trx, organizationId, projectId);
      if (!given) return;
      const id = newId('key');
      await insertDeployKey(trx, {
        id,
        organizationId,
        projectId,
        publicKey: given.publicKey,
        fingerprint: fingerprintOf(Buffer.from(given.publicKey.split(' ')[1] ?? '', 'base64')),
        privateKey: this.#sealer.seal(given.privateKey, place(id)),
        createdAt: Date.now(),
      });
    });
  }

  /** Returns the private key, to fetch the source of a deployment. */
  async privateKeyOf(sql: Sql, organizationId: string, projectId: string): Promise<string | undefined> {
    return (await this.pairOf(sql, organizationId, projectId))?.privateKey;
  }

  /** Returns the key pair, for a cloud that fetches the source. */
  async pairOf(sql: Sql, organizationId: string, projectId: string): Promise<KeyPair | undefined> {
    const key = await selectDeployKey(sql, organizationId, projectId);
    return key && { publicKey: key.publicKey, privateKey: this.#sealer.open(key.privateKey, place(key.id)) };
  }
}
