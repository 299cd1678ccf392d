import { z } from '../../../lib/zod/index.ts';
import { emptyResponse, idParams, okDone } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import type { BringHome } from './bring-home.ts';

export const promotionRoutes = (home: BringHome): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/projects/:id/bring-home',
    permission: 'project:write',
    mode: 'self-hosted',
    summary: 'Bring a project home from the cloud',
    description:
      'Deploys it here, which also needs `deployment:write`. The release in the cloud keeps serving until `DELETE /api/projects/:id/cloud`. Works while the cloud is unreachable.',
    params: idParams,
    body: z.object({ deploy: z.boolean().default(true).describe('`false`: do not deploy yet.') }),
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
    summary: 'Remove the cloud copy of a project that was brought home',
    params: idParams,
    query: z.object({
      volumes: z
        .enum(['true', 'false'])
        .optional()
        .describe('`true`: also delete its volumes there. This cannot be undone.'),
      abandon: z
        .enum(['true', 'false'])
        .optional()
        .describe('`true`: give up the copy in the cloud, for a cloud that is gone for good.'),
    }),
    output: emptyResponse,
    async handle({ caller, params: { id }, query }) {
      await home.removeThere(caller, id, { abandon: query.abandon === 'true', volumes: query.volumes === 'true' });
      return okDone;
    },
  }),
];
