import { z } from 'zod';
import type { InvitationTable } from '../../../db/tables.ts';
import { isoTime, time } from '../../../http/answers.ts';
import { Grants, grantsIn } from '../grants.ts';
import { RoleName } from '../members/schemas.ts';
import { sessionProof } from '../sessions/schemas.ts';
import { Email, Password, PersonName, Secret, User } from '../users/schemas.ts';

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
    createdAt: time,
    expiresAt: time,
  })
  .meta({ id: 'Invitation' });

export const CreatedInvitation = Invitation.extend({
  token: z.string().describe('Shown this once.'),
  url: z.string().describe('The page to accept on. Hand it to the person.'),
}).meta({ id: 'CreatedInvitation' });

export const LookBody = z.object({ token: Secret });
export const InvitationLook = z.object({
  organizationName: z.string(),
  email: z.string(),
  role: RoleName,
  hasAccount: z.boolean().describe('Whether the person signs in with a password they have already.'),
});

export const AcceptBody = z.object({
  token: Secret,
  name: PersonName.optional().describe('Needed for somebody new.'),
  password: Password.describe('A new one, or for a known person their own.'),
});
export const Accepted = z.object({
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
