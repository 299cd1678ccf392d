import type { Sql } from '../../../db/database.ts';
import type { InvitationTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export const insertInvitation = (
  sql: Sql,
  organizationId: string,
  invitation: Omit<InvitationTable, 'organizationId'>,
) => tenant(sql, organizationId).insert('invitations', invitation).execute();

export const selectInvitations = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId)
    .select('invitations')
    .selectAll()
    .where('expiresAt', '>', Date.now())
    .orderBy('id')
    .execute();

export const selectInvitation = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).select('invitations').selectAll().where('id', '=', id).executeTakeFirst();

export const deleteInvitation = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).delete('invitations').where('id', '=', id).executeTakeFirst();

export const deleteInvitationTo = (sql: Sql, organizationId: string, email: string) =>
  tenant(sql, organizationId).delete('invitations').where('email', '=', email).execute();

/** Deletes open invitations of a member whose role has changed. */
export const deleteInvitationsBy = (sql: Sql, organizationId: string, userId: string) =>
  tenant(sql, organizationId).delete('invitations').where('invitedBy', '=', userId).execute();

/** Not scoped to a tenant: the invitee is not a member yet. */
export const selectInvitationBySecret = (sql: Sql, hash: string) =>
  sql
    .selectFrom('invitations')
    .innerJoin('organizations', 'organizations.id', 'invitations.organizationId')
    .selectAll('invitations')
    .select('organizations.name as organizationName')
    .where('hash', '=', hash)
    .where('expiresAt', '>', Date.now())
    .executeTakeFirst();
