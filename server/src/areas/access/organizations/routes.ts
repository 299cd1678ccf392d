import { z } from '../../../lib/zod/index.ts';
import { listResponse, okItem, itemResponse } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { OrganizationName } from '../users/schemas.ts';
import type { Organizations } from './service.ts';

const Organization = z
  .object({ id: z.string(), name: z.string(), role: z.string().describe('Your role in it.') })
  .meta({ id: 'Organization' });

const NameBody = z.object({ name: OrganizationName });

export const organizationRoutes = (organizations: Organizations): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/organizations',
    permission: 'organization:list',
    summary: 'List your organizations',
    description: 'A token sees only its own organization.',
    output: listResponse(Organization),
    cached: true,
    async handle({ caller }) {
      const memberships = await organizations.membershipsOf(caller);
      return okItem(
        memberships.map((each) => ({ id: each.organizationId, name: each.organizationName, role: each.role })),
      );
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/organizations',
    permission: 'signed-in',
    summary: 'Create an organization and become its owner',
    description:
      'Needs `organization:write`. The instance owner needs no permission; in cloud mode only the instance owner can create organizations.',
    status: 201,
    body: NameBody,
    output: itemResponse(Organization),
    handle: async ({ caller, body }) => okItem(await organizations.create(caller, body.name)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/organizations/current',
    permission: 'organization:admin',
    summary: 'Rename the organization',
    body: NameBody,
    output: itemResponse(Organization),
    handle: async ({ caller, body }) => okItem(await organizations.rename(caller, body.name)),
  }),
];
