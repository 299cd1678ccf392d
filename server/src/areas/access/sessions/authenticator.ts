import type { Db } from '../../../db/database.ts';
import type { Authenticator } from '../../../http/authenticate.ts';
import type { SignedIn } from '../../../http/caller.ts';
import type { Permission } from '../../../http/permission.ts';
import { hashSecret } from '../../../lib/secrets.ts';
import { grantsIn } from '../grants.ts';
import { narrowed, permissionsOf, type Role } from '../roles.ts';
import { permissionsIn } from '../tokens/schemas.ts';
import type { TokenUse } from '../tokens/token-use.ts';
import { selectSignedIn, selectTokenHolder } from './store.ts';

const tokenFormat = /^mrg_pat_[A-Za-z0-9_-]{43}$/;

/** Tells who sent a request, by one indexed read and without a write. */
export function createAuthenticator(db: Db, uses: TokenUse): Authenticator {
  return {
    async byToken(token, ip) {
      if (!tokenFormat.test(token)) return null;
      const row = await selectTokenHolder(db, hashSecret(token));
      if (!row || isOver(row.expires_at)) return null;
      uses.note(row.token_id);
      const via = { type: 'token' as const, id: row.token_id, expiresAt: row.expires_at };
      return signedIn(row, via, permissionsIn(row), ip);
    },
    async bySession({ secret, proof }, organizationId, ip) {
      const hash = hashSecret(secret);
      const row = await selectSignedIn(db, hash, organizationId);
      if (!row || isOver(row.expires_at) || row.proof_hash !== hashSecret(proof)) return null;
      return signedIn(row, { type: 'session', hash }, '*', ip);
    },
  };
}

type Row = {
  user_id: string;
  email: string;
  name: string;
  owned_instance: string | null;
  member_id: string | null;
  role: Role | null;
  grants: string | null;
  organization_id: string | null;
  organization_name: string | null;
};

function signedIn(row: Row, via: SignedIn['via'], allowed: Permission[] | '*', ip: string): SignedIn {
  return {
    userId: row.user_id,
    email: row.email,
    name: row.name,
    // A narrowed token does not carry the instance owner's powers.
    isInstanceOwner: row.owned_instance !== null && allowed === '*',
    via,
    organization: organizationOf(row, allowed),
    ip,
  };
}

function organizationOf(row: Row, allowed: Permission[] | '*'): SignedIn['organization'] {
  if (!row.member_id) return null;
  const [role, grants] = [row.role!, grantsIn('members', { grants: row.grants! })];
  return {
    id: row.organization_id!,
    name: row.organization_name!,
    memberId: row.member_id,
    role,
    grants,
    permissions: narrowed(permissionsOf(role, grants), allowed),
  };
}

const isOver = (expiresAt: number | null) => expiresAt !== null && expiresAt <= Date.now();
