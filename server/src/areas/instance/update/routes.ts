import { okItem } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { presentUpdate, updateInput, updateOutput } from './schemas.ts';
import type { Updates } from './service.ts';

export const updateRoutes = (updates: Updates): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/instance/update',
    permission: 'signed-in',
    summary: 'Installed and latest version, and the state of the last update',
    description: 'Only for the instance owner.',
    output: updateOutput,
    handle: ({ caller }) => okItem(presentUpdate(updates.overview(caller))),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/instance/update',
    permission: 'signed-in',
    summary: 'Update the instance to a newer version',
    description:
      'Only for the instance owner, on a machine that was set up with install.sh. Apps keep serving; the API is away ' +
      'for a few seconds. If the new version does not become healthy, the previous one is restored with its database.',
    status: 202,
    body: updateInput,
    output: updateOutput,
    handle: async ({ caller, body }) => okItem(presentUpdate(await updates.request(caller, body.version))),
  }),
];
