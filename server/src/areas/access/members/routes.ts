import { emptyResponse, idParams, listResponse, okItem, okDone, itemResponse } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { GrantsBody, LeaveBody, Member, presentMember, RoleBody } from './schemas.ts';
import type { Members } from './service.ts';

export const memberRoutes = (members: Members): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/members',
    permission: 'member:list',
    summary: 'List the members of the organization',
    output: listResponse(Member),
    cached: true,
    handle: async ({ caller }) => okItem((await members.list(caller)).map(presentMember)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/members/:id',
    permission: 'member:admin',
    summary: "Change a member's role",
    description: 'Only owners can grant or revoke the role owner. The last owner keeps it (409).',
    params: idParams,
    body: RoleBody,
    output: itemResponse(Member),
    handle: async ({ caller, params, body }) =>
      okItem(presentMember(await members.changeRole(caller, params.id, body.role))),
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/members/:id/grants',
    permission: 'member:admin',
    summary: 'Replace the grants of a restricted member',
    params: idParams,
    body: GrantsBody,
    output: itemResponse(Member),
    handle: async ({ caller, params, body }) =>
      okItem(presentMember(await members.replaceGrants(caller, params.id, body.grants))),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/members/:id',
    permission: 'member:admin',
    summary: 'Remove a member and revoke their tokens',
    params: idParams,
    output: emptyResponse,
    async handle({ caller, params }) {
      await members.remove(caller, params.id);
      return okDone;
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/organizations/leave',
    permission: 'organization:read',
    summary: 'Leave the organization',
    description:
      '`id` must be the organization that the call acts in, so that nobody leaves another one by mistake. Revokes your tokens in it. The last owner cannot leave (409).',
    body: LeaveBody,
    output: emptyResponse,
    async handle({ caller, body }) {
      await members.leave(caller, body.organizationId);
      return okDone;
    },
  }),
];
