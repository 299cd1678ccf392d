import { z } from '../../../lib/zod/index.ts';
import { emptyResponse, idParams, listResponse, okItem, okDone, itemResponse } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { ServerCheck } from '../check/outcome.ts';
import { presentServer, Server, ServerBody, ServerChange } from './schemas.ts';
import type { Servers } from './service.ts';

const ChangedServer = itemResponse(Server).extend({
  message: z.string().optional().describe('Whether the pinned host key was kept.'),
});

const DeletedServer = emptyResponse.extend({
  message: z.string().optional().describe('What remains on the machine if it could not be reached.'),
});

export const serverRoutes = (servers: Servers): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/servers',
    permission: 'server:list',
    summary: 'List servers',
    output: listResponse(Server),
    handle: async ({ caller }) => okItem((await servers.list(caller)).map(presentServer)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/servers',
    permission: 'server:write',
    summary: 'Add a server',
    description: 'Does not connect yet: test it afterwards. Needs a password, a private key or `generateKey`.',
    status: 201,
    body: ServerBody,
    output: itemResponse(Server),
    handle: async ({ caller, body }) => okItem(presentServer(await servers.create(caller, body))),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/servers/:id',
    permission: 'server:read',
    summary: 'Show a server',
    params: idParams,
    output: itemResponse(Server),
    handle: async ({ caller, params }) => okItem(presentServer(await servers.get(caller, params.id))),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/servers/:id',
    permission: 'server:write',
    summary: 'Change a server',
    description:
      'An omitted credential keeps the stored value, null clears it, a string replaces it. Stored credentials belong to host, port, user and pinned host key: when one of these changes (`hostKey: null` included), send every stored credential again or clear it. `message` says whether the pinned host key is kept.',
    params: idParams,
    body: ServerChange,
    output: ChangedServer,
    async handle({ caller, params, body }) {
      const { row, notice } = await servers.update(caller, params.id, body);
      return { ...okItem(presentServer(row)), ...(notice && { message: notice }) };
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/servers/:id',
    permission: 'server:admin',
    summary: 'Remove a server',
    description:
      'Removes the edge from it, with its container, volume and image, and changes nothing else. An unreachable server is removed from Mooring, and `message` says what may remain there. Fails while projects or backup destinations are on it (409).',
    params: idParams,
    output: DeletedServer,
    async handle({ caller, params }) {
      const message = await servers.delete(caller, params.id);
      return { ...okDone, ...(message && { message }) };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/servers/:id/test',
    permission: 'server:write',
    summary: 'Test a server',
    description: 'Signs in and inspects the server without changes. Returns 200 even if it cannot be reached.',
    params: idParams,
    output: itemResponse(ServerCheck),
    handle: async ({ caller, params }) => okItem(await servers.test(caller, params.id)),
  }),
];
