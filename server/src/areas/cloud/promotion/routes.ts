import { z } from 'zod';
import { done, idParams, okDone } from '../../../http/answers.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import type { BringHome } from './bring-home.ts';

export const promotionRoutes = (home: BringHome): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/projects/:id/bring-home',
    permission: 'project:write',
    mode: 'self-hosted',
    summary: 'Let a project that lives in the cloud live here again',
    description:
      'Deploys it here, which needs `deployment:write` too. What runs in the cloud goes on serving until `DELETE /api/projects/:id/cloud`; it works also while the cloud is away.',
    params: idParams,
    body: z.object({ deploy: z.boolean().default(true).describe('`false` deploys nothing yet.') }),
    output: z.object({ success: z.literal(true), deployment_id: z.string().nullable(), project_id: z.string() }),
    async handle({ caller, params: { id }, body }) {
      const deployment = await home.bring(caller, id, body);
      return { success: true as const, deployment_id: deployment?.id ?? null, project_id: id };
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/projects/:id/cloud',
    permission: 'project:admin',
    mode: 'self-hosted',
    summary: 'Remove from the cloud what is left there of a project that was brought home',
    params: idParams,
    query: z.object({
      volumes: z.enum(['true', 'false']).optional().describe('`true`: its volumes there go too, for good.'),
      abandon: z
        .enum(['true', 'false'])
        .optional()
        .describe('`true`: what is there is left there; for a cloud that will not come back.'),
    }),
    output: done,
    async handle({ caller, params: { id }, query }) {
      await home.removeThere(caller, id, { abandon: query.abandon === 'true', volumes: query.volumes === 'true' });
      return okDone;
    },
  }),
];
