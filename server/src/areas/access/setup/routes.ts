import { z } from '../../../lib/zod/index.ts';
import { okItem, itemResponse } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { Email, OrganizationName, Password, PersonName, LinkSecret, User } from '../users/schemas.ts';
import { sessionProof } from '../sessions/schemas.ts';
import type { Setup } from './service.ts';

const SetupBody = z.object({
  code: LinkSecret.describe('From the link that the first start prints.'),
  name: PersonName,
  email: Email,
  password: Password,
  organizationName: OrganizationName.optional(),
});

export const setupRoutes = (setup: Setup): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/auth/setup',
    permission: 'public',
    summary: 'Show whether the instance still has to be set up',
    output: itemResponse(z.object({ needed: z.boolean() })),
    handle: async () => okItem({ needed: await setup.isNeeded() }),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/setup',
    permission: 'public',
    summary: 'Create the owner of the instance',
    description: 'Works once, with the code from the set-up link. Signs the owner in.',
    status: 201,
    body: SetupBody,
    output: itemResponse(
      z.object({ user: User, organization: z.object({ id: z.string(), name: z.string() }), sessionProof }),
    ),
    async handle({ body, ip, userAgent, session }) {
      const organizationName = body.organizationName ?? `${body.name}'s organization`.slice(0, 100);
      const {
        user,
        organization,
        session: started,
      } = await setup.withCode(body.code, { ...body, organizationName }, { ip, userAgent });
      session.start(started.secret);
      const { id, email, name } = user;
      return okItem({ user: { id, email, name, isInstanceOwner: true }, organization, sessionProof: started.proof });
    },
  }),
];
