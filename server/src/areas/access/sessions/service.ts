import { type Db, inTransaction, type Sql } from '../../../db/database.ts';
import { AppError } from '../../../errors.ts';
import type { SessionSecrets } from '../../../http/authenticate.ts';
import type { SignedIn } from '../../../http/caller.ts';
import { hashSecret, randomSecret } from '../../../lib/secrets.ts';
import { verifyPassword } from '../../../lib/password.ts';
import { recordAuditInAllOrganizations } from '../audit/service.ts';
import { selectUserByEmail } from '../users/store.ts';
import type { SignInAttempts } from './attempts.ts';
import { deleteSession, insertSession } from './store.ts';

export type SignInClient = { ip: string; userAgent: string };

export class Sessions {
  readonly #db: Db;
  readonly #attempts: SignInAttempts;
  readonly #days: number;

  constructor(db: Db, attempts: SignInAttempts, days: number) {
    this.#db = db;
    this.#attempts = attempts;
    this.#days = days;
  }

  /** Checks a password within the rate limit. Neither response nor timing reveals whether the account exists. */
  async checkPassword(email: string, password: string, ip: string) {
    await this.#attempts.begin(email, ip);
    const user = await selectUserByEmail(this.#db, email);
    if (!(await verifyPassword(password, user?.passwordHash ?? null)) || !user)
      throw new AppError('unauthenticated', 'e-mail address or password is wrong');
    await this.#attempts.succeeded(email, ip);
    return user;
  }

  async signIn(email: string, password: string, client: SignInClient) {
    const user = await this.checkPassword(email, password, client.ip);
    const session = await inTransaction(this.#db, async (trx) => {
      await recordAuditInAllOrganizations(
        trx,
        { userId: user.id, email, ip: client.ip },
        { action: 'session.started' },
      );
      return this.start(trx, user.id, client);
    });
    return { user, session };
  }

  /** Starts a session and returns its secrets, which are stored as hashes only. */
  async start(sql: Sql, userId: string, { ip, userAgent }: SignInClient): Promise<SessionSecrets> {
    const session = { secret: randomSecret(), proof: randomSecret() };
    const now = Date.now();
    const expiresAt = now + this.#days * 86_400_000;
    await insertSession(sql, {
      hash: hashSecret(session.secret),
      proofHash: hashSecret(session.proof),
      userId,
      createdAt: now,
      expiresAt,
      ip,
      userAgent,
    });
    return session;
  }

  async signOut(signedIn: SignedIn): Promise<void> {
    if (signedIn.via.type !== 'session') return;
    const { hash } = signedIn.via;
    await inTransaction(this.#db, async (trx) => {
      await deleteSession(trx, hash);
      await recordAuditInAllOrganizations(trx, signedIn, { action: 'session.ended' });
    });
  }
}
