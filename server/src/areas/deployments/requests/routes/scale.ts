import { z } from 'zod';
import { idParams, ok, one } from '../../../../http/answers.ts';
import { defineRoute, type Route } from '../../../../http/define-route.ts';
import { Replicas } from '../../../projects/port.ts';
import type { Scaling } from '../scale.ts';
import { Environment } from '../schemas.ts';

const Scaled = z
  .object({
    service: z.string(),
    replicas: z.number(),
    environment: z.string(),
    deploymentId: z.string().nullable().describe('The active release that is scaled; null: the next one is.'),
  })
  .meta({ id: 'Scaled' });

export const scaleRoutes = (scaling: Scaling): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/projects/:id/scale',
    permission: 'deployment:write',
    summary: 'Change how many replicas of a service run',
    description:
      'Without a build. It goes on in the background; `GET /api/deployments/:id/info` shows the replicas. Deployments keep the number.',
    params: idParams,
    body: z.object({
      service: z.string().max(100).optional().describe('Which of several services.'),
      replicas: Replicas,
      environment: Environment,
    }),
    output: one(Scaled),
    status: 202,
    handle: async ({ caller, params: { id }, body }) => ok(await scaling.scale(caller, id, body)),
  }),
];
