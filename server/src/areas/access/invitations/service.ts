import { type Db, inTransaction, isUniqueViolation, type Trx } from '../../../db/database.ts';
import type { InvitationTable, UserTable } from '../../../db/tables.ts';
import { badRequest, conflict, notFound } from '../../../errors.ts';
import type { Caller, Grant } from '../../../http/caller.ts';
import { newId } from '../../../lib/ids.ts';
import { hashPassword } from '../../../lib/password.ts';
import { hashSecret, randomSecret } from '../../../lib/secrets.ts';
import { recordAudit } from '../audit/service.ts';
import type { GrantTargets } from '../grant-targets.ts';
import { insertMember, selectMemberByEmail } from '../members/store.ts';
import { lockCallerRole, requireMayGive } from '../members/role-checks.ts';
import { deleteResetsOf } from '../passwords/store.ts';
import type { Role } from '../roles.ts';
import type { SignInClient, Sessions } from '../sessions/service.ts';
import { insertUser, selectUserByEmail } from '../users/store.ts';
import {
  deleteInvitation,
  deleteInvitationTo,
  insertInvitation,
  selectInvitation,
  selectInvitationBySecret,
  selectInvitations,
} from './store.ts';

const lifetimeMs = 7 * 86_400_000;

export type NewInvitation = { email: string; role: Role; grants: Grant[] };
export type Acceptance = { token: string; name?: string | undefined; password: string };

export class Invitations {
  readonly #db: Db;
  readonly #sessions: Sessions;
  readonly #targets: GrantTargets;

  constructor(db: Db, sessions: Sessions, targets: GrantTargets) {
    this.#db = db;
    this.#sessions = sessions;
    this.#targets = targets;
  }

  list(caller: Caller) {
    return selectInvitations(this.#db, caller.organization.id);
  }

  /** Creates an invitation, replacing a previous one to the same address. */
  async create(caller: Caller, { email, role, grants }: NewInvitation) {
    requireMayGive(caller, role, grants);
    const organizationId = caller.organization.id;
    const secret = randomSecret();
    const now = Date.now();
    const invitation = {
      id: newId('inv'),
      email,
      role,
      grants: JSON.stringify(grants),
      hash: hashSecret(secret),
      invitedBy: caller.userId,
      createdAt: now,
      expiresAt: now + lifetimeMs,
    };
    await inTransaction(this.#db, async (trx) => {
      await lockCallerRole(trx, caller);
      await this.#targets.require(trx, organizationId, grants);
      if (await selectMemberByEmail(trx, organizationId, email)) throw conflict(`${email} is already a member`);
      await deleteInvitationTo(trx, organizationId, email);
      await insertInvitation(trx, organizationId, invitation);
      await recordAudit(trx, organizationId, caller, {
        action: 'invitation.created',
        target: { id: invitation.id, name: email },
        details: { role },
      });
    }).catch((error: unknown) => {
      throw isUniqueViolation(error) ? conflict(`${email} was invited by somebody else at the same time`) : error;
    });
    return { invitation, secret };
  }

  async withdraw(caller: Caller, id: string): Promise<void> {
    const organizationId = caller.organization.id;
    await inTransaction(this.#db, async (trx) => {
      const invitation = await selectInvitation(trx, organizationId, id);
      if (!invitation) throw notFound('invitation');
      await deleteInvitation(trx, organizationId, id);
      await recordAudit(trx, organizationId, caller, {
        action: 'invitation.withdrawn',
        target: { id, name: invitation.email },
      });
    });
  }

  /** Returns the invitation of a secret. */
  async look(token: string) {
    const invitation = await this.#find(token);
    const hasAccount = Boolean(await selectUserByEmail(this.#db, invitation.email));
    return {
      organizationName: invitation.organizationName,
      email: invitation.email,
      role: invitation.role,
      hasAccount,
    };
  }

  /** Joins the organization: a new user sets a password, an existing one enters theirs. */
  async accept({ token, name, password }: Acceptance, client: SignInClient) {
    const invitation = await this.#find(token);
    const known = await selectUserByEmail(this.#db, invitation.email);
    if (!known && !name) throw badRequest('name is required', 'name');
    const user = known
      ? await this.#sessions.checkPassword(invitation.email, password, client.ip)
      : {
          id: newId('usr'),
          email: invitation.email,
          name: name!,
          passwordHash: await hashPassword(password),
          createdAt: Date.now(),
        };
    const session = await inTransaction(this.#db, async (trx) => {
      if (!known) await insertUser(trx, user);
      await join(trx, invitation, user, client);
      return this.#sessions.start(trx, user.id, client);
    }).catch((error: unknown) => {
      throw isUniqueViolation(error) ? conflict('this invitation has already been accepted') : error;
    });
    return { user, organization: { id: invitation.organizationId, name: invitation.organizationName }, session };
  }

  async #find(token: string) {
    const invitation = await selectInvitationBySecret(this.#db, hashSecret(token));
    if (!invitation) throw notFound('invitation');
    return invitation;
  }
}

async function join(trx: Trx, invitation: InvitationTable, user: UserTable, { ip }: SignInClient): Promise<void> {
  const { organizationId, id, role, grants } = invitation;
  // Single use: of two concurrent requests, one deletes the row and the other fails.
  const { numDeletedRows } = await deleteInvitation(trx, organizationId, id);
  if (!numDeletedRows) throw notFound('invitation');
  await insertMember(trx, organizationId, { id: newId('mem'), userId: user.id, role, grants, createdAt: Date.now() });
  // An older reset link would now give access to an organization that its creator may not belong to.
  await deleteResetsOf(trx, user.id);
  const actor = { userId: user.id, email: user.email, ip };
  await recordAudit(trx, organizationId, actor, {
    action: 'invitation.accepted',
    target: { id, name: user.email },
    details: { role },
  });
}
