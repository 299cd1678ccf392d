import { done, ok, okDone, one } from '../../../http/answers.ts';
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
      'Sets the session cookie, and answers with the `sessionProof` that each request by this cookie sends as `X-Session-Proof`. After ten failures the address has to wait (429, `Retry-After`).',
    body: SignInBody,
    output: one(User.omit({ isInstanceOwner: true }).extend({ sessionProof })),
    async handle({ body, ip, userAgent, session }) {
      const { user, session: started } = await sessions.signIn(body.email, body.password, { ip, userAgent });
      session.start(started.secret);
      return ok({ id: user.id, email: user.email, name: user.name, sessionProof: started.proof });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/sign-out',
    permission: 'signed-in',
    summary: 'End the session',
    output: done,
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
    summary: 'Who is calling, where, and what they may do',
    output: one(Me),
    handle: async ({ caller }) => ok(presentMe(caller, await organizations.membershipsOf(caller))),
  }),
];
