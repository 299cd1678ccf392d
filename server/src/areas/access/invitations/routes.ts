import { emptyResponse, idParams, listResponse, okItem, okDone, itemResponse } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import type { DashboardLinks } from '../links.ts';
import {
  AcceptedInvitation,
  AcceptBody,
  CreatedInvitation,
  Invitation,
  InvitationBody,
  InvitationPreview,
  InvitationPreviewBody,
  presentInvitation,
} from './schemas.ts';
import type { Invitations } from './service.ts';

export const invitationRoutes = (invitations: Invitations, links: DashboardLinks): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/invitations',
    permission: 'member:list',
    summary: 'List open invitations',
    output: listResponse(Invitation),
    handle: async ({ caller }) => okItem((await invitations.list(caller)).map(presentInvitation)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/invitations',
    permission: 'member:admin',
    summary: 'Invite somebody',
    description: 'Mooring sends no e-mail: share the `url` yourself. It works once and expires after seven days.',
    status: 201,
    body: InvitationBody,
    output: itemResponse(CreatedInvitation),
    async handle({ caller, body }) {
      const { invitation, secret } = await invitations.create(caller, body);
      return okItem({ ...presentInvitation(invitation), token: secret, url: links.invitation(secret) });
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/invitations/:id',
    permission: 'member:admin',
    summary: 'Withdraw an invitation',
    params: idParams,
    output: emptyResponse,
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
    body: InvitationPreviewBody,
    output: itemResponse(InvitationPreview),
    async handle({ body }) {
      const look = await invitations.look(body.token);
      return okItem(look);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/invitations/accept',
    permission: 'public',
    summary: 'Accept an invitation',
    description: 'Joins the organization and signs in.',
    body: AcceptBody,
    output: itemResponse(AcceptedInvitation),
    async handle({ body, ip, userAgent, session }) {
      const { user, organization, session: started } = await invitations.accept(body, { ip, userAgent });
      session.start(started.secret);
      const { id, email, name } = user;
      return okItem({ user: { id, email, name }, organization, sessionProof: started.proof });
    },
  }),
];
