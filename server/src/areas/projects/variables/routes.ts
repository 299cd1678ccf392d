import { idParams, listResponse, okItem } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { Variable, VariablesBody } from './schemas.ts';
import type { Variables } from './service.ts';

export const variableRoutes = (variables: Variables): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/projects/:id/variables',
    permission: 'project:read',
    summary: 'List the variables of a project',
    description: 'Values of secret variables are never shown.',
    params: idParams,
    output: listResponse(Variable),
    handle: async ({ caller, params }) => okItem(await variables.list(caller, params.id)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/projects/:id/variables',
    permission: 'project:write',
    summary: 'Set and remove variables of a project',
    description:
      'Takes effect with the next deployment. All are set at run time; `buildTime` variables are also set during the build.',
    params: idParams,
    body: VariablesBody,
    // Maximum of all variables, plus JSON escaping.
    bodyLimit: 8_000_000,
    output: listResponse(Variable),
    handle: async ({ caller, params, body }) => okItem(await variables.change(caller, params.id, body.variables)),
  }),
];
