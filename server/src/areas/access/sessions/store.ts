import type { Sql } from '../../../db/database.ts';
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

/** One read tells who it is, where they act and what they may: a membership of the named organization, else the oldest. */
export function selectSignedIn(sql: Sql, hash: string, organizationId: string | undefined) {
  return sql
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .leftJoin('members', (join) => {
      const own = join.onRef('members.user_id', '=', 'users.id');
      return organizationId === undefined ? own : own.on('members.organization_id', '=', organizationId);
    })
    .leftJoin('organizations', 'organizations.id', 'members.organization_id')
    .leftJoin('instance', 'instance.owner_user_id', 'users.id')
    .select([
      'users.id as user_id',
      'users.email',
      'users.name',
      'sessions.expires_at',
      'instance.id as owned_instance',
      'members.id as member_id',
      'members.role',
      'members.grants',
      'organizations.id as organization_id',
      'organizations.name as organization_name',
    ])
    .where('sessions.hash', '=', hash)
    .orderBy('members.created_at')
    .orderBy('members.id')
    .limit(1)
    .executeTakeFirst();
}

/** The same for a token, which is bound to one membership. */
export function selectTokenHolder(sql: Sql, hash: string) {
  return sql
    .selectFrom('tokens')
    .innerJoin('members', 'members.id', 'tokens.member_id')
    .innerJoin('users', 'users.id', 'members.user_id')
    .innerJoin('organizations', 'organizations.id', 'members.organization_id')
    .leftJoin('instance', 'instance.owner_user_id', 'users.id')
    .select([
      'tokens.id as token_id',
      'tokens.permissions',
      'tokens.expires_at',
      'users.id as user_id',
      'users.email',
      'users.name',
      'instance.id as owned_instance',
      'members.id as member_id',
      'members.role',
      'members.grants',
      'organizations.id as organization_id',
      'organizations.name as organization_name',
    ])
    .where('tokens.hash', '=', hash)
    .executeTakeFirst();
}
