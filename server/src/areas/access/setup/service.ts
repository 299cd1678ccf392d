import { type Db, inTransaction, type Trx } from '../../../db/database.ts';
import { AppError, forbidden } from '../../../errors.ts';
import { newId } from '../../../lib/ids.ts';
import { hashPassword } from '../../../lib/password.ts';
import { hashSecret, randomSecret } from '../../../lib/secrets.ts';
import { recordAudit } from '../audit/service.ts';
import { createOrganization } from '../organizations/service.ts';
import type { SignInClient, Sessions } from '../sessions/service.ts';
import { insertToken } from '../tokens/store.ts';
import { storedToken } from '../tokens/service.ts';
import { insertUser, selectInstance } from '../users/store.ts';

const codeLifetimeMs = 24 * 3_600_000;

export type FirstOwner = { email: string; name: string; password: string | null; organizationName: string };

export class Setup {
  readonly #db: Db;
  readonly #sessions: Sessions;

  constructor(db: Db, sessions: Sessions) {
    this.#db = db;
    this.#sessions = sessions;
  }

  async isNeeded(): Promise<boolean> {
    return !(await selectInstance(this.#db))?.ownerUserId;
  }

  /** Creates a one-time code. Several replicas may each create one; the first use deletes all. */
  async offerCode(): Promise<string> {
    const code = randomSecret();
    await this.#db
      .insertInto('setup_codes')
      .values({ hash: hashSecret(code), expiresAt: Date.now() + codeLifetimeMs })
      .execute();
    return code;
  }

  async withCode(code: string, owner: FirstOwner, client: SignInClient) {
    if (!(await this.isNeeded())) throw alreadySetUp();
    if (!(await this.#isOffered(code)))
      throw forbidden('this set-up link is not valid; the newest one is in the output of the service');
    const passwordHash = await hashPassword(owner.password!);
    return inTransaction(this.#db, async (trx) => {
      const created = await this.#createOwner(trx, owner, passwordHash, client.ip);
      return { ...created, session: await this.#sessions.start(trx, created.user.id, client) };
    });
  }

  /** Creates the owner, and a token if given, from the environment. Returns false if another replica was faster. */
  async unattended(owner: FirstOwner, token: string | undefined): Promise<boolean> {
    const passwordHash = owner.password === null ? null : await hashPassword(owner.password);
    const creation = inTransaction(this.#db, async (trx) => {
      const { organization } = await this.#createOwner(trx, owner, passwordHash, 'environment');
      if (token) await insertFirstToken(trx, organization, token);
      return true;
    });
    return creation.catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'already_set_up') return false;
      throw error;
    });
  }

  async #isOffered(code: string): Promise<boolean> {
    const row = await this.#db
      .selectFrom('setup_codes')
      .select('hash')
      .where('hash', '=', hashSecret(code))
      .where('expiresAt', '>', Date.now())
      .executeTakeFirst();
    return row !== undefined;
  }

  async #createOwner(trx: Trx, owner: FirstOwner, passwordHash: string | null, ip: string) {
    // Of two concurrent setups, one locks the row and the other then finds an owner.
    const held = await trx
      .updateTable('instance')
      .set({ singleton: 1 })
      .where('ownerUserId', 'is', null)
      .executeTakeFirst();
    if (!held.numUpdatedRows) throw alreadySetUp();
    const user = {
      id: newId('usr'),
      email: owner.email,
      name: owner.name,
      passwordHash,
      createdAt: Date.now(),
    };
    await insertUser(trx, user);
    await trx.updateTable('instance').set({ ownerUserId: user.id }).execute();
    await trx.deleteFrom('setup_codes').execute();
    const organization = await createOrganization(trx, user.id, owner.organizationName);
    const actor = { userId: user.id, email: user.email, ip };
    await recordAudit(trx, organization.id, actor, {
      action: 'instance.set_up',
      target: { id: user.id, name: user.email },
    });
    return { user, organization };
  }
}

const alreadySetUp = () => new AppError('already_set_up', 'this instance already has an owner; sign in');

const insertFirstToken = (trx: Trx, { id, memberId }: { id: string; memberId: string }, token: string) =>
  insertToken(trx, id, {
    id: newId('tok'),
    ...storedToken(token),
    memberId,
    parentId: null,
    name: 'first token, from the environment',
    permissions: JSON.stringify('*'),
    createdAt: Date.now(),
    expiresAt: null,
    lastUsedAt: null,
  });
