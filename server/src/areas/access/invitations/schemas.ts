import { z } from '../../../lib/zod/index.ts';
import type { InvitationTable } from '../../../db/tables.ts';
import { isoTime, timeField } from '../../../http/responses.ts';
import { Grants, grantsIn } from '../grants.ts';
import { RoleName } from '../members/schemas.ts';
import { sessionProof } from '../sessions/schemas.ts';
import { Email, Password, PersonName, LinkSecret, User } from '../users/schemas.ts';

export const InvitationBody = z.object({
  email: Email,
  role: RoleName,
  grants: Grants.default([]).describe('For the role `restricted`.'),
});

export const Invitation = z
  .object({
    id: z.string(),
    email: z.string(),
    role: RoleName,
    grants: Grants,
    createdAt: timeField,
    expiresAt: timeField,
  })
  .meta({ id: 'Invitation' });

export const CreatedInvitation = Invitation.extend({
  token: z.string().describe('Shown only once.'),
  url: z.string().describe('Page on which the person accepts. Share it with them.'),
}).meta({ id: 'CreatedInvitation' });

export const InvitationPreviewBody = z.object({ token: LinkSecret });
export const InvitationPreview = z.object({
  organizationName: z.string(),
  email: z.string(),
  role: RoleName,
  hasAccount: z
    .boolean()
    .describe('Whether the person has an account on this instance already and signs in with its password.'),
});

export const AcceptBody = z.object({
  token: LinkSecret,
  name: PersonName.optional().describe('Required for a person without an account.'),
  password: Password.describe('A new password, or the existing one of a person who has an account.'),
});
export const AcceptedInvitation = z.object({
  user: User.omit({ isInstanceOwner: true }),
  organization: z.object({ id: z.string(), name: z.string() }),
  sessionProof,
});

type Row = Omit<InvitationTable, 'organizationId'>;

export const presentInvitation = (row: Row): z.input<typeof Invitation> => ({
  id: row.id,
  email: row.email,
  role: row.role,
  grants: grantsIn('invitations', row),
  createdAt: isoTime(row.createdAt),
  expiresAt: isoTime(row.expiresAt),
});
