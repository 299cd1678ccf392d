import type { Sql } from '../../../db/database.ts';
import { prepared, type Slots } from '../../../db/prepared.ts';
import type { SessionTable } from '../../../db/tables.ts';

export const insertSession = (sql: Sql, session: SessionTable) => sql.insertInto('sessions').values(session).execute();

export const deleteSession = (sql: Sql, hash: string) => sql.deleteFrom('sessions').where('hash', '=', hash).execute();

/** Ends the user's sessions, but for the one that is kept. */
export const deleteSessionsOf = (sql: Sql, userId: string, kept: string | null) =>
  sql
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('hash', '!=', kept ?? '')
    .execute();

const signedInColumns = [
  'users.id as user_id',
  'users.email',
  'users.name',
  'instance.id as owned_instance',
  'members.id as member_id',
  'members.role',
  'members.grants',
  'organizations.id as organization_id',
  'organizations.name as organization_name',
] as const;

const sessionHolder = (sql: Sql, hash: string, organizationId: string | undefined) =>
  sql
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .leftJoin('members', (join) => {
      const own = join.onRef('members.user_id', '=', 'users.id');
      return organizationId === undefined ? own : own.on('members.organization_id', '=', organizationId);
    })
    .leftJoin('organizations', 'organizations.id', 'members.organization_id')
    .leftJoin('instance', 'instance.owner_user_id', 'users.id')
    .select(signedInColumns)
    .select(['sessions.expires_at', 'sessions.proof_hash'])
    .where('sessions.hash', '=', hash)
    .orderBy('members.created_at')
    .orderBy('members.id')
    .limit(1);

type SessionValues = { hash: string };
const selectInOldest = prepared((sql, slot: Slots<SessionValues>) => sessionHolder(sql, slot('hash'), undefined));
type NamedValues = { hash: string; organizationId: string };
const selectInNamed = prepared((sql, slot: Slots<NamedValues>) =>
  sessionHolder(sql, slot('hash'), slot('organizationId')),
);

/** One read tells who it is, where they act and what they may: a membership of the named organization, else the oldest. */
export async function selectSignedIn(sql: Sql, hash: string, organizationId: string | undefined) {
  const rows =
    organizationId === undefined ? selectInOldest(sql, { hash }) : selectInNamed(sql, { hash, organizationId });
  return (await rows)[0];
}

const selectByTokenHash = prepared((sql, slot: Slots<{ hash: string }>) =>
  sql
    .selectFrom('tokens')
    .innerJoin('members', 'members.id', 'tokens.member_id')
    .innerJoin('users', 'users.id', 'members.user_id')
    .innerJoin('organizations', 'organizations.id', 'members.organization_id')
    .leftJoin('instance', 'instance.owner_user_id', 'users.id')
    .select(signedInColumns)
    .select(['tokens.id as token_id', 'tokens.permissions', 'tokens.expires_at'])
    .where('tokens.hash', '=', slot('hash')),
);

/** The same for a token, which is bound to one membership. */
export const selectTokenHolder = async (sql: Sql, hash: string) => (await selectByTokenHash(sql, { hash }))[0];
