import { emptyResponse, okItem, okDone, itemResponse } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import type { Organizations } from '../organizations/service.ts';
import { User } from '../users/schemas.ts';
import { Me, presentMe, sessionProof, SignInBody } from './schemas.ts';
import type { Sessions } from './service.ts';

export const sessionRoutes = (sessions: Sessions, organizations: Organizations): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/auth/sign-in',
    permission: 'public',
    summary: 'Sign in with e-mail address and password',
    description:
      'Sets the session cookie and returns the `sessionProof` that each request with this cookie sends as `X-Session-Proof`. After ten failed attempts the address has to wait (429, `Retry-After`).',
    body: SignInBody,
    output: itemResponse(User.omit({ isInstanceOwner: true }).extend({ sessionProof })),
    async handle({ body, ip, userAgent, session }) {
      const { user, session: started } = await sessions.signIn(body.email, body.password, { ip, userAgent });
      session.start(started.secret);
      return okItem({ id: user.id, email: user.email, name: user.name, sessionProof: started.proof });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/sign-out',
    permission: 'signed-in',
    summary: 'Sign out',
    output: emptyResponse,
    async handle({ caller, session }) {
      await sessions.signOut(caller);
      session.end();
      return okDone;
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/me',
    permission: 'signed-in',
    summary: 'Show the caller, their organization and their permissions',
    output: itemResponse(Me),
    handle: async ({ caller }) => okItem(presentMe(caller, await organizations.membershipsOf(caller))),
  }),
];
