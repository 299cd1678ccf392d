import type { AccessVersion } from '../../../db/access-changes.ts';
import type { Db } from '../../../db/database.ts';
import type { Authenticator } from '../../../http/authenticate.ts';
import type { SignedIn } from '../../../http/caller.ts';
import type { Permission } from '../../../http/permission.ts';
import { hashSecret } from '../../../lib/secrets.ts';
import { grantsIn } from '../grants.ts';
import { permissionsOfToken, permissionsOf, type Role } from '../roles.ts';
import { permissionsIn } from '../tokens/schemas.ts';
import type { TokenUse } from '../tokens/token-use.ts';
import { type KnownCaller, KnownCallers } from './known-callers.ts';
import { selectSignedIn, selectTokenHolder } from './store.ts';

const tokenFormat = /^mrg_pat_[A-Za-z0-9_-]{43}$/;

type Deps = { db: Db; accessVersion: AccessVersion; uses: TokenUse };

/** Authenticates a request without a write, and without a read while nothing has changed since the last one. */
export function createAuthenticator({ db, accessVersion, uses }: Deps): Authenticator {
  const known = new KnownCallers(accessVersion);

  async function readToken(hash: string): Promise<KnownCaller | null> {
    const row = await selectTokenHolder(db, hash);
    if (!row) return null;
    const via = { type: 'token' as const, id: row.tokenId, expiresAt: row.expiresAt };
    return { caller: callerOf(row, via, permissionsIn(row)), expiresAt: row.expiresAt };
  }

  async function readSession(hash: string, organizationId: string | undefined): Promise<KnownCaller | null> {
    const row = await selectSignedIn(db, hash, organizationId);
    if (!row) return null;
    const { expiresAt, proofHash } = row;
    return { caller: callerOf(row, { type: 'session', hash }, '*'), expiresAt, proofHash };
  }

  function accept(found: KnownCaller | null, ip: string, proof?: string): SignedIn | null {
    if (!found || isOver(found.expiresAt)) return null;
    const { via } = found.caller;
    if (via.type === 'session' && found.proofHash !== hashSecret(proof!)) return null;
    if (via.type === 'token') uses.note(via.id);
    return { ...found.caller, ip };
  }

  return {
    byToken(token, ip) {
      if (!tokenFormat.test(token)) return null;
      const hash = hashSecret(token);
      const found = known.find(hash, () => readToken(hash));
      return found instanceof Promise ? found.then((each) => accept(each, ip)) : accept(found, ip);
    },
    bySession({ secret, proof }, organizationId, ip) {
      const hash = hashSecret(secret);
      const found = known.find(`${hash} ${organizationId ?? ''}`, () => readSession(hash, organizationId));
      return found instanceof Promise ? found.then((each) => accept(each, ip, proof)) : accept(found, ip, proof);
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

function callerOf(row: Row, via: SignedIn['via'], allowed: readonly Permission[] | '*'): KnownCaller['caller'] {
  return {
    userId: row.userId,
    email: row.email,
    name: row.name,
    // A narrowed token does not have the rights of the instance owner.
    isInstanceOwner: row.ownedInstance !== null && allowed === '*',
    via,
    organization: organizationOf(row, allowed),
  };
}

function organizationOf(row: Row, allowed: readonly Permission[] | '*'): SignedIn['organization'] {
  if (!row.memberId) return null;
  const [role, grants] = [row.role!, grantsIn('members', { grants: row.grants! })];
  return {
    id: row.organizationId!,
    name: row.organizationName!,
    memberId: row.memberId,
    role,
    grants,
    permissions: permissionsOfToken(permissionsOf(role, grants), allowed),
  };
}

const isOver = (expiresAt: number | null) => expiresAt !== null && expiresAt <= Date.now();
