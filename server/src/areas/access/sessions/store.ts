import type { Sql } from '../../../db/database.ts';
import { prepared, type Slots } from '../../../db/prepared.ts';
import type { SessionTable } from '../../../db/tables.ts';

export const insertSession = (sql: Sql, session: SessionTable) => sql.insertInto('sessions').values(session).execute();

export const deleteSession = (sql: Sql, hash: string) => sql.deleteFrom('sessions').where('hash', '=', hash).execute();

/** Ends the user's sessions, except the one to keep. */
export const deleteSessionsOf = (sql: Sql, userId: string, kept: string | null) =>
  sql
    .deleteFrom('sessions')
    .where('userId', '=', userId)
    .where('hash', '!=', kept ?? '')
    .execute();

const signedInColumns = [
  'users.id as userId',
  'users.email',
  'users.name',
  'instance.id as ownedInstance',
  'members.id as memberId',
  'members.role',
  'members.grants',
  'organizations.id as organizationId',
  'organizations.name as organizationName',
] as const;

const sessionHolder = (sql: Sql, hash: string, organizationId: string | undefined) =>
  sql
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.userId')
    .leftJoin('members', (join) => {
      const own = join.onRef('members.userId', '=', 'users.id');
      return organizationId === undefined ? own : own.on('members.organizationId', '=', organizationId);
    })
    .leftJoin('organizations', 'organizations.id', 'members.organizationId')
    .leftJoin('instance', 'instance.ownerUserId', 'users.id')
    .select(signedInColumns)
    .select(['sessions.expiresAt', 'sessions.proofHash'])
    .where('sessions.hash', '=', hash)
    .orderBy('members.createdAt')
    .orderBy('members.id')
    .limit(1);

type SessionValues = { hash: string };
const selectInOldest = prepared((sql, slot: Slots<SessionValues>) => sessionHolder(sql, slot('hash'), undefined));
type NamedValues = { hash: string; organizationId: string };
const selectInNamed = prepared((sql, slot: Slots<NamedValues>) =>
  sessionHolder(sql, slot('hash'), slot('organizationId')),
);

/** Returns user, organization and role with one query: the named organization, else the oldest membership. */
export async function selectSignedIn(sql: Sql, hash: string, organizationId: string | undefined) {
  const rows =
    organizationId === undefined ? selectInOldest(sql, { hash }) : selectInNamed(sql, { hash, organizationId });
  return (await rows)[0];
}

const selectByTokenHash = prepared((sql, slot: Slots<{ hash: string }>) =>
  sql
    .selectFrom('tokens')
    .innerJoin('members', 'members.id', 'tokens.memberId')
    .innerJoin('users', 'users.id', 'members.userId')
    .innerJoin('organizations', 'organizations.id', 'members.organizationId')
    .leftJoin('instance', 'instance.ownerUserId', 'users.id')
    .select(signedInColumns)
    .select(['tokens.id as tokenId', 'tokens.permissions', 'tokens.expiresAt'])
    .where('tokens.hash', '=', slot('hash')),
);

/** The same for a token, which belongs to one membership. */
export const selectTokenHolder = async (sql: Sql, hash: string) => (await selectByTokenHash(sql, { hash }))[0];
