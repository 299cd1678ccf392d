import { z } from 'zod';
import type { SignedIn } from '../../../http/caller.ts';
import type { Permission } from '../../../http/permission.ts';
import { Grants } from '../grants.ts';
import { Email, GivenPassword, User } from '../users/schemas.ts';

export const SignInBody = z.object({ email: Email, password: GivenPassword });

export const sessionProof = z
  .string()
  .describe('Sent as `X-Session-Proof` with each request by this session. Shown this once.');

export const Me = z
  .object({
    user: User,
    organization: z
      .object({
        id: z.string(),
        name: z.string(),
        memberId: z.string(),
        role: z.string(),
        permissions: z.array(z.string()),
        grants: Grants.describe('What a restricted member may do to single resources; without effect for other roles.'),
      })
      .nullable()
      .describe('Where this request acts; null for somebody who belongs nowhere.'),
    organizations: z.array(z.object({ id: z.string(), name: z.string(), role: z.string() })),
    via: z.enum(['session', 'token']),
    tokenId: z.string().nullable().describe('The token that the call was made with.'),
  })
  .meta({ id: 'Me' });

type Membership = { organizationId: string; organizationName: string; role: string };

export function presentMe(signedIn: SignedIn, memberships: Membership[]): z.input<typeof Me> {
  const { organization } = signedIn;
  return {
    user: presentUser(signedIn),
    organization: organization && {
      id: organization.id,
      name: organization.name,
      memberId: organization.memberId,
      role: organization.role,
      permissions: [...organization.permissions].toSorted() as Permission[],
      grants: organization.grants,
    },
    organizations: memberships.map((each) => ({
      id: each.organizationId,
      name: each.organizationName,
      role: each.role,
    })),
    via: signedIn.via.type,
    tokenId: signedIn.via.type === 'token' ? signedIn.via.id : null,
  };
}

const presentUser = ({ userId, email, name, isInstanceOwner }: SignedIn) => ({
  id: userId,
  email,
  name,
  isInstanceOwner,
});
