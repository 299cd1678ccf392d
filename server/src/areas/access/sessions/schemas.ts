import { z } from '../../../lib/zod/index.ts';
import type { SignedIn } from '../../../http/caller.ts';
import type { Permission } from '../../../http/permission.ts';
import { Grants } from '../grants.ts';
import { Email, GivenPassword, User } from '../users/schemas.ts';

export const SignInBody = z.object({ email: Email, password: GivenPassword });

export const sessionProof = z
  .string()
  .describe('Send it as `X-Session-Proof` with each request of this session. Shown only once.');

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
        grants: Grants.describe('Grants of a restricted member on single resources. Other roles ignore them.'),
      })
      .nullable()
      .describe('Organization that this request acts in; null for a person without one.'),
    organizations: z.array(z.object({ id: z.string(), name: z.string(), role: z.string() })),
    via: z.enum(['session', 'token']),
    tokenId: z.string().nullable().describe('Token of this request.'),
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
