import { z } from 'zod';
import { done, idParams, list, ok, okDone, one } from '../../../http/answers.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { ServerCheck } from '../check/outcome.ts';
import { presentServer, Server, ServerBody, ServerChange } from './schemas.ts';
import type { Servers } from './service.ts';

const ChangedServer = one(Server).extend({
  message: z.string().optional().describe('What became of the pinned host key.'),
});

const DeletedServer = done.extend({
  message: z.string().optional().describe('What is left on the machine, if it could not be reached.'),
});

export const serverRoutes = (servers: Servers): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/servers',
    permission: 'server:list',
    summary: 'List servers',
    output: list(Server),
    handle: async ({ caller }) => ok((await servers.list(caller)).map(presentServer)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/servers',
    permission: 'server:write',
    summary: 'Add a server',
    description: 'Nobody is dialled: test it afterwards. It needs a password, a private key, or `generateKey`.',
    status: 201,
    body: ServerBody,
    output: one(Server),
    handle: async ({ caller, body }) => ok(presentServer(await servers.create(caller, body))),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/servers/:id',
    permission: 'server:read',
    summary: 'Show a server',
    params: idParams,
    output: one(Server),
    handle: async ({ caller, params }) => ok(presentServer(await servers.get(caller, params.id))),
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
      return { ...ok(presentServer(row)), ...(notice && { message: notice }) };
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/servers/:id',
    permission: 'server:admin',
    summary: 'Remove a server',
    description:
      'The edge there ends, and its container, volume and image are removed; nothing else is changed on the machine. One that cannot be reached is forgotten all the same, and `message` says what may be left there. One that projects or a backup destination are on stays (409).',
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
    description: 'Signs in and looks around, changing nothing. 200 also for a server that cannot be reached.',
    params: idParams,
    output: one(ServerCheck),
    handle: async ({ caller, params }) => ok(await servers.test(caller, params.id)),
  }),
];
