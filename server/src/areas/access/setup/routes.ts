import { z } from 'zod';
import { ok, one } from '../../../http/answers.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { Email, OrganizationName, Password, PersonName, Secret, User } from '../users/schemas.ts';
import { sessionProof } from '../sessions/schemas.ts';
import type { Setup } from './service.ts';

const SetupBody = z.object({
  code: Secret.describe('From the link that the first start prints.'),
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
    output: one(z.object({ needed: z.boolean() })),
    handle: async () => ok({ needed: await setup.isNeeded() }),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/setup',
    permission: 'public',
    summary: 'Create the owner of the instance',
    description: 'Works once, with the code from the set-up link. Signs the owner in.',
    status: 201,
    body: SetupBody,
    output: one(z.object({ user: User, organization: z.object({ id: z.string(), name: z.string() }), sessionProof })),
    async handle({ body, ip, userAgent, session }) {
      const organizationName = body.organizationName ?? `${body.name}'s organization`.slice(0, 100);
      const {
        user,
        organization,
        session: started,
      } = await setup.withCode(body.code, { ...body, organizationName }, { ip, userAgent });
      session.start(started.secret);
      const { id, email, name } = user;
      return ok({ user: { id, email, name, isInstanceOwner: true }, organization, sessionProof: started.proof });
    },
  }),
];
