import type { Sql } from '../../../db/database.ts';
import { prepared, type Slots } from '../../../db/prepared.ts';
import type { MemberTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export const insertMember = (sql: Sql, organizationId: string, member: Omit<MemberTable, 'organizationId'>) =>
  tenant(sql, organizationId).insert('members', member).execute();

const withUser = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId)
    .select('members')
    .innerJoin('users', 'users.id', 'members.userId')
    .select([
      'members.id',
      'members.userId',
      'members.role',
      'members.grants',
      'members.createdAt',
      'users.email',
      'users.name',
    ]);

export type MemberRow = Awaited<ReturnType<typeof selectMembers>>[number];

const selectAll = prepared((sql, slot: Slots<{ organizationId: string }>) =>
  withUser(sql, slot('organizationId')).orderBy('members.id'),
);
export const selectMembers = (sql: Sql, organizationId: string) => selectAll(sql, { organizationId });

export const selectMember = (sql: Sql, organizationId: string, id: string) =>
  withUser(sql, organizationId).where('members.id', '=', id).executeTakeFirst();

export const selectMemberByEmail = (sql: Sql, organizationId: string, email: string) =>
  withUser(sql, organizationId).where('users.email', '=', email).executeTakeFirst();

export const selectMemberByUser = (sql: Sql, organizationId: string, userId: string) =>
  withUser(sql, organizationId).where('members.userId', '=', userId).executeTakeFirst();

export async function countOwners(sql: Sql, organizationId: string): Promise<number> {
  const owners = tenant(sql, organizationId).select('members').where('role', '=', 'owner');
  const { count } = await owners.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  return count;
}

export const updateMember = (
  sql: Sql,
  organizationId: string,
  id: string,
  change: Partial<Pick<MemberTable, 'role' | 'grants'>>,
) => tenant(sql, organizationId).update('members', change).where('id', '=', id).execute();

export const deleteMember = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).delete('members').where('id', '=', id).execute();

const selectOfUser = prepared((sql, slot: Slots<{ userId: string }>) =>
  sql
    .selectFrom('members')
    .innerJoin('organizations', 'organizations.id', 'members.organizationId')
    .select([
      'members.id as memberId',
      'organizations.id as organizationId',
      'organizations.name as organizationName',
      'members.role',
    ])
    .where('members.userId', '=', slot('userId'))
    .orderBy('members.createdAt')
    .orderBy('members.id'),
);

/** Not scoped to a tenant: memberships of a user across organizations. */
export const selectMembershipsOf = (sql: Sql, userId: string) => selectOfUser(sql, { userId });
