import { type Db, inTransaction, type Sql, type Trx } from '../../../db/database.ts';
import { AppError, badRequest, forbidden, notFound } from '../../../errors.ts';
import type { Caller, SignedIn } from '../../../http/caller.ts';
import { hashPassword } from '../../../lib/password.ts';
import { hashSecret, randomSecret } from '../../../lib/secrets.ts';
import { recordAudit, recordAuditInAllOrganizations } from '../audit/service.ts';
import { selectMember, selectMembershipsOf } from '../members/store.ts';
import { deleteSessionsOf } from '../sessions/store.ts';
import type { Sessions } from '../sessions/service.ts';
import { deleteTokensOfMember } from '../tokens/store.ts';
import { selectInstance, updatePassword } from '../users/store.ts';
import { deleteReset, deleteResetsOf, selectReset, upsertReset } from './store.ts';

type PasswordChange = { currentPassword: string; newPassword: string; revokeTokens: boolean };

const resetLifetimeMs = 24 * 3_600_000;

export class Passwords {
  readonly #db: Db;
  readonly #sessions: Sessions;

  constructor(db: Db, sessions: Sessions) {
    this.#db = db;
    this.#sessions = sessions;
  }

  /** Requires the current password, ends all other sessions, and revokes tokens on request. */
  async change(signedIn: SignedIn, { currentPassword, newPassword, revokeTokens }: PasswordChange): Promise<void> {
    if (signedIn.via.type !== 'session') throw forbidden('a token cannot change a password');
    const { hash } = signedIn.via;
    await this.#sessions.checkPassword(signedIn.email, currentPassword, signedIn.ip).catch((error: unknown) => {
      // Not a 401: the session is valid, and a client would sign in again.
      const isWrong = error instanceof AppError && error.code === 'unauthenticated';
      throw isWrong ? badRequest('currentPassword is wrong', 'currentPassword') : error;
    });
    const passwordHash = await hashPassword(newPassword);
    await inTransaction(this.#db, async (trx) => {
      await updatePassword(trx, signedIn.userId, passwordHash);
      await deleteResetsOf(trx, signedIn.userId);
      await deleteSessionsOf(trx, signedIn.userId, hash);
      if (revokeTokens) await deleteTokensOf(trx, signedIn.userId);
      await recordAuditInAllOrganizations(trx, signedIn, { action: 'password.changed', details: { revokeTokens } });
    });
  }

  /**
   * Creates a reset link for a member. Its creator could sign in as that member, so it must not give access to other
   * organizations or the instance owner's account.
   */
  async offerReset(caller: Caller, memberId: string) {
    const { organization, isInstanceOwner, via } = caller;
    return inTransaction(this.#db, async (trx) => {
      const member = await selectMember(trx, organization.id, memberId);
      if (!member) throw notFound('member');
      // The link leads to a session, which may do more than a token.
      if (via.type !== 'session') throw forbidden('a token cannot reset a password');
      if (organization.role !== 'owner' && !isInstanceOwner) throw forbidden('only an owner may reset a password');
      if (!isInstanceOwner) {
        const elsewhere = (await selectMembershipsOf(trx, member.userId)).length > 1;
        const ownsInstance = (await selectInstance(trx))?.ownerUserId === member.userId;
        if (elsewhere || ownsInstance)
          throw forbidden('this person belongs to other organizations too; ask the instance owner');
      }
      const offer = await createReset(trx, member.userId);
      await recordAudit(trx, organization.id, caller, {
        action: 'password.reset_offered',
        target: { id: member.id, name: member.email },
      });
      return offer;
    });
  }

  /** Sets the password by a single-use link. Ends all sessions and tokens, which may stem from a leaked password. */
  async reset(token: string, next: string, ip: string): Promise<void> {
    const hash = hashSecret(token);
    // Checked before the expensive hash, to prevent denial of service.
    const user = await selectReset(this.#db, hash);
    if (!user) throw isOver();
    const passwordHash = await hashPassword(next);
    await inTransaction(this.#db, async (trx) => {
      if (!(await deleteReset(trx, hash)).numDeletedRows) throw isOver();
      await updatePassword(trx, user.id, passwordHash);
      await deleteSessionsOf(trx, user.id, null);
      await deleteTokensOf(trx, user.id);
      await recordAuditInAllOrganizations(
        trx,
        { userId: user.id, email: user.email, ip },
        { action: 'password.reset' },
      );
    });
  }
}

/** Deletes the user's tokens in every organization. */
async function deleteTokensOf(trx: Trx, userId: string): Promise<void> {
  for (const { memberId, organizationId } of await selectMembershipsOf(trx, userId))
    await deleteTokensOfMember(trx, organizationId, memberId);
}

const isOver = () => new AppError('not_found', 'this link has been used or has expired; ask for a new one');

/** Creates a single-use secret to set a new password; also used by the CLI on the machine. */
export async function createReset(sql: Sql, userId: string): Promise<{ secret: string; expiresAt: number }> {
  const secret = randomSecret();
  const expiresAt = Date.now() + resetLifetimeMs;
  await upsertReset(sql, { hash: hashSecret(secret), userId, expiresAt });
  return { secret, expiresAt };
}
