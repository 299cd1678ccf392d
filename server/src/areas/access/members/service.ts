import { type Db, inTransaction, type Trx } from '../../../db/database.ts';
import { conflict, forbidden, notFound } from '../../../errors.ts';
import type { Caller, Grant } from '../../../http/caller.ts';
import { recordAudit } from '../audit/service.ts';
import type { GrantTargets } from '../grant-targets.ts';
import { deleteInvitationsBy } from '../invitations/store.ts';
import { grantsIn } from '../grants.ts';
import { outranks, type Role } from '../roles.ts';
import { lockCallerRole, requireMayGive } from './role-checks.ts';
import { countOwners, deleteMember, type MemberRow, selectMember, selectMembers, updateMember } from './store.ts';

export class Members {
  readonly #db: Db;
  readonly #targets: GrantTargets;

  constructor(db: Db, targets: GrantTargets) {
    this.#db = db;
    this.#targets = targets;
  }

  list(caller: Caller): Promise<MemberRow[]> {
    return selectMembers(this.#db, caller.organization.id);
  }

  changeRole(caller: Caller, id: string, role: Role): Promise<MemberRow> {
    return this.#change(caller, id, async (trx, member) => {
      requireMayGive(caller, role, grantsIn('members', member));
      if (member.role === 'owner' && role !== 'owner') await keepAnOwner(trx, caller);
      await updateMember(trx, caller.organization.id, id, { role });
      await deleteInvitationsBy(trx, caller.organization.id, member.userId);
      const details = { before: member.role, role };
      await recordAudit(trx, caller.organization.id, caller, {
        action: 'member.role_changed',
        target: named(member),
        details,
      });
    });
  }

  replaceGrants(caller: Caller, id: string, grants: Grant[]): Promise<MemberRow> {
    return this.#change(caller, id, async (trx, member) => {
      requireMayGive(caller, 'restricted', grants);
      await this.#targets.require(trx, caller.organization.id, grants);
      await updateMember(trx, caller.organization.id, id, { grants: JSON.stringify(grants) });
      const details = { grants: grants.length };
      await recordAudit(trx, caller.organization.id, caller, {
        action: 'member.grants_replaced',
        target: named(member),
        details,
      });
    });
  }

  remove(caller: Caller, id: string): Promise<void> {
    return inTransaction(this.#db, async (trx) =>
      end(trx, caller, await this.#held(trx, caller, id), 'member.removed'),
    );
  }

  /** Any member may leave, but only in a session, not with a token. */
  async leave(caller: Caller, organizationId: string): Promise<void> {
    if (caller.via.type !== 'session') throw forbidden('a token cannot leave an organization; sign in to do that');
    if (organizationId !== caller.organization.id) throw notFound('organization');
    await inTransaction(this.#db, async (trx) =>
      end(trx, caller, await this.#held(trx, caller, caller.organization.memberId), 'member.left'),
    );
  }

  #change(caller: Caller, id: string, change: (trx: Trx, member: MemberRow) => Promise<void>): Promise<MemberRow> {
    return inTransaction(this.#db, async (trx) => {
      await change(trx, await this.#held(trx, caller, id));
      return (await selectMember(trx, caller.organization.id, id))!;
    });
  }

  async #held(trx: Trx, caller: Caller, id: string): Promise<MemberRow> {
    await lockCallerRole(trx, caller);
    const member = await selectMember(trx, caller.organization.id, id);
    if (!member) throw notFound('member');
    if (outranks(member.role, caller.organization.role as Role)) throw forbidden('only an owner may change an owner');
    return member;
  }
}

/** Ends a membership with its tokens and open invitations; the user and other memberships stay. */
async function end(trx: Trx, caller: Caller, member: MemberRow, action: `member.${string}`): Promise<void> {
  if (member.role === 'owner') await keepAnOwner(trx, caller);
  await deleteMember(trx, caller.organization.id, member.id);
  await deleteInvitationsBy(trx, caller.organization.id, member.userId);
  const details = { role: member.role };
  await recordAudit(trx, caller.organization.id, caller, { action, target: named(member), details });
}

async function keepAnOwner(trx: Trx, caller: Caller): Promise<void> {
  if ((await countOwners(trx, caller.organization.id)) > 1) return;
  throw conflict('an organization needs an owner; make another member owner first');
}

const named = ({ id, email }: MemberRow) => ({ id, name: email });
