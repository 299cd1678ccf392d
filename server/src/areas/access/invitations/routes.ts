import { done, idParams, list, ok, okDone, one } from '../../../http/answers.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import type { Links } from '../links.ts';
import {
  Accepted,
  AcceptBody,
  CreatedInvitation,
  Invitation,
  InvitationBody,
  InvitationLook,
  LookBody,
  presentInvitation,
} from './schemas.ts';
import type { Invitations } from './service.ts';

export const invitationRoutes = (invitations: Invitations, links: Links): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/invitations',
    permission: 'member:list',
    summary: 'List open invitations',
    output: list(Invitation),
    handle: async ({ caller }) => ok((await invitations.list(caller)).map(presentInvitation)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/invitations',
    permission: 'member:admin',
    summary: 'Invite somebody',
    description: 'Mooring sends no e-mail: share the `url` yourself. It works once and expires after seven days.',
    status: 201,
    body: InvitationBody,
    output: one(CreatedInvitation),
    async handle({ caller, body }) {
      const { invitation, secret } = await invitations.create(caller, body);
      return ok({ ...presentInvitation(invitation), token: secret, url: links.invitation(secret) });
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/invitations/:id',
    permission: 'member:admin',
    summary: 'Withdraw an invitation',
    params: idParams,
    output: done,
    async handle({ caller, params }) {
      await invitations.withdraw(caller, params.id);
      return okDone;
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/invitations/look',
    permission: 'public',
    summary: 'Show an invitation',
    body: LookBody,
    output: one(InvitationLook),
    async handle({ body }) {
      const look = await invitations.look(body.token);
      return ok(look);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/invitations/accept',
    permission: 'public',
    summary: 'Accept an invitation',
    description: 'Joins the organization and signs in.',
    body: AcceptBody,
    output: one(Accepted),
    async handle({ body, ip, userAgent, session }) {
      const { user, organization, session: started } = await invitations.accept(body, { ip, userAgent });
      session.start(started.secret);
      const { id, email, name } = user;
      return ok({ user: { id, email, name }, organization, sessionProof: started.proof });
    },
  }),
];
