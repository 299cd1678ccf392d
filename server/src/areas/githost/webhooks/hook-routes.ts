import { z } from '../../../lib/zod/index.ts';
import { listResponse, okItem, itemResponse } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import type { Hooks, KnownHook } from './hooks.ts';

const Webhook = z
  .object({
    id: z.number(),
    url: z.string(),
    events: z.array(z.string()),
    active: z.boolean(),
    ours: z.boolean().describe('Whether it sends pushes to this instance.'),
  })
  .meta({ id: 'Webhook' });

const present = ({ id, url, events, isActive, isOurs }: KnownHook): z.input<typeof Webhook> => ({
  id,
  url,
  events,
  active: isActive,
  ours: isOurs,
});

const path = '/api/githost/repos/:owner/:repo/webhooks';
const params = z.object({ owner: z.string().max(100), repo: z.string().max(100) });
const hookId = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

export const hookRoutes = (hooks: Hooks): Route[] => [
  defineRoute({
    method: 'GET',
    path,
    permission: 'githost:list',
    summary: 'List the webhooks of a repository',
    params,
    output: listResponse(Webhook),
    handle: async ({ caller, params: named }) => okItem((await hooks.list(caller, named)).map(present)),
  }),
  defineRoute({
    method: 'POST',
    path,
    permission: 'githost:write',
    summary: 'Register the push webhook of a repository',
    description: 'Registers the webhook (201), or updates the existing one (200).',
    params,
    output: itemResponse(Webhook),
    status: 201,
    async handle({ caller, params: named, reply }) {
      const { hook, isNew } = await hooks.register(caller, named);
      if (!isNew) reply.status(200);
      return okItem(present(hook));
    },
  }),
  defineRoute({
    method: 'DELETE',
    path,
    permission: 'githost:admin',
    summary: 'Delete a webhook of a repository',
    description: 'The webhook of this instance stays at the git host while another organization here uses it.',
    params,
    body: z.object({ hookId }),
    output: itemResponse(
      z.object({ hookId, deleted: z.boolean().describe('Whether it was deleted at the git host.') }),
    ),
    async handle({ caller, params: named, body }) {
      return okItem({ hookId: body.hookId, deleted: await hooks.remove(caller, named, body.hookId) });
    },
  }),
];
