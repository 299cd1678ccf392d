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

/** Authenticates a request with one indexed read and no write. */
export function createAuthenticator(db: Db, uses: TokenUse): Authenticator {
  return {
    async byToken(token, ip) {
      if (!tokenFormat.test(token)) return null;
      const row = await selectTokenHolder(db, hashSecret(token));
      if (!row || isOver(row.expiresAt)) return null;
      uses.note(row.tokenId);
      const via = { type: 'token' as const, id: row.tokenId, expiresAt: row.expiresAt };
      return signedIn(row, via, permissionsIn(row), ip);
    },
    async bySession({ secret, proof }, organizationId, ip) {
      const hash = hashSecret(secret);
      const row = await selectSignedIn(db, hash, organizationId);
      if (!row || isOver(row.expiresAt) || row.proofHash !== hashSecret(proof)) return null;
      return signedIn(row, { type: 'session', hash }, '*', ip);
    },
  };
}

type Row = {
  userId: string;
  email: string;
  name: string;
  ownedInstance: string | null;
  memberId: string | null;
  role: Role | null;
  grants: string | null;
  organizationId: string | null;
  organizationName: string | null;
};

function signedIn(row: Row, via: SignedIn['via'], allowed: Permission[] | '*', ip: string): SignedIn {
  return {
    userId: row.userId,
    email: row.email,
    name: row.name,
    // A narrowed token does not have the rights of the instance owner.
    isInstanceOwner: row.ownedInstance !== null && allowed === '*',
    via,
    organization: organizationOf(row, allowed),
    ip,
  };
}

function organizationOf(row: Row, allowed: Permission[] | '*'): SignedIn['organization'] {
  if (!row.memberId) return null;
  const [role, grants] = [row.role!, grantsIn('members', { grants: row.grants! })];
  return {
    id: row.organizationId!,
    name: row.organizationName!,
    memberId: row.memberId,
    role,
    grants,
    permissions: narrowed(permissionsOf(role, grants), allowed),
  };
}

const isOver = (expiresAt: number | null) => expiresAt !== null && expiresAt <= Date.now();
