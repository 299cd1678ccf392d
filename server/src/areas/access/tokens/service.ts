import { type Db, inTransaction, type Trx } from '../../../db/database.ts';
import { badRequest, forbidden, notFound } from '../../../errors.ts';
import { type Caller, hasPermission } from '../../../http/caller.ts';
import type { Permission } from '../../../http/permission.ts';
import { newId } from '../../../lib/ids.ts';
import { hashSecret, randomSecret } from '../../../lib/secrets.ts';
import { recordAudit } from '../audit/service.ts';
import { lockCallerRole } from '../members/role-checks.ts';
import { selectMemberByUser } from '../members/store.ts';
import { permissionsOfMember } from '../roles.ts';
import { deleteToken, insertToken, selectToken, selectTokens, type TokenRow } from './store.ts';

export type NewToken = {
  name: string;
  permissions: Permission[] | '*';
  organizationId?: string | undefined;
  expiresInDays?: number | undefined;
};

type Holder = { organizationId: string; memberId: string; held: ReadonlySet<Permission> };

export class Tokens {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Returns the caller's tokens; with `token:admin` those of all members. */
  list(caller: Caller): Promise<TokenRow[]> {
    const { id, memberId } = caller.organization;
    return selectTokens(this.#db, id, hasPermission(caller, 'token:admin') ? undefined : memberId);
  }

  create(caller: Caller, wanted: NewToken): Promise<{ row: TokenRow; token: string }> {
    const token = `mrg_pat_${randomSecret()}`;
    return inTransaction(this.#db, async (trx) => {
      const { organizationId, memberId, held } = await holderOf(trx, caller, wanted.organizationId);
      const row = {
        id: newId('tok'),
        ...storedToken(token),
        memberId,
        name: wanted.name,
        permissions: JSON.stringify(withinHeld(wanted.permissions, held, caller)),
        ...lifetime(caller, wanted.expiresInDays),
        lastUsedAt: null,
      };
      await insertToken(trx, organizationId, row);
      const target = { id: row.id, name: row.name };
      await recordAudit(trx, organizationId, caller, {
        action: 'token.created',
        target,
        details: { prefix: row.prefix },
      });
      return { row: { ...row, email: caller.email }, token };
    });
  }

  async revoke(caller: Caller, id: string): Promise<void> {
    const { id: organizationId, memberId } = caller.organization;
    await inTransaction(this.#db, async (trx) => {
      const token = await selectToken(trx, organizationId, id);
      if (!token || (token.memberId !== memberId && !hasPermission(caller, 'token:admin'))) throw notFound('token');
      await deleteToken(trx, organizationId, id);
      await recordAudit(trx, organizationId, caller, {
        action: 'token.revoked',
        target: { id, name: token.name },
        details: { holder: token.email },
      });
    });
  }
}

/** Another organization requires a session, whose user is a member of both. */
async function holderOf(trx: Trx, caller: Caller, organizationId: string | undefined): Promise<Holder> {
  const { organization, via, userId } = caller;
  await lockCallerRole(trx, caller);
  if (organizationId === undefined || organizationId === organization.id)
    return { organizationId: organization.id, memberId: organization.memberId, held: organization.permissions };
  const member = via.type === 'session' ? await selectMemberByUser(trx, organizationId, userId) : undefined;
  if (!member) throw notFound('organization');
  return { organizationId, memberId: member.id, held: permissionsOfMember(member) };
}

/** A token does not outlive its parent, by expiry or revocation. */
function lifetime({ via }: Caller, days: number | undefined) {
  const now = Date.now();
  const ends = [days && now + days * 86_400_000, via.type === 'token' && via.expiresAt].filter(
    (each) => typeof each === 'number',
  );
  return {
    parentId: via.type === 'token' ? via.id : null,
    createdAt: now,
    expiresAt: ends.length ? Math.min(...ends) : null,
  };
}

/**
 * A token never has more permissions than its creator. `*` includes later permissions for a session, but only the
 * current ones for a token.
 */
function withinHeld(wanted: Permission[] | '*', held: ReadonlySet<Permission>, { via }: Caller): Permission[] | '*' {
  if (wanted === '*') return via.type === 'session' ? '*' : [...held];
  if (!wanted.length) throw badRequest('permissions must have at least one entry', 'permissions');
  const beyond = wanted.filter((permission) => !held.has(permission));
  if (beyond.length) throw forbidden(`you do not have ${beyond.join(', ')}, so your tokens cannot have it`);
  return wanted;
}

/** Stored parts of a token: enough to recognize it, not to use it. */
export const storedToken = (token: string) => ({ hash: hashSecret(token), prefix: token.slice(0, 14) });
