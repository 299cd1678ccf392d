import { z } from '../../../../lib/zod/index.ts';
import { idParams, okItem, itemResponse } from '../../../../http/responses.ts';
import { defineRoute, type Route } from '../../../../http/define-route.ts';
import { ReplicaCount } from '../../../projects/port.ts';
import type { Scaling } from '../scale.ts';
import { Environment } from '../schemas.ts';

const Scaled = z
  .object({
    service: z.string(),
    replicas: z.number(),
    environment: z.string(),
    deploymentId: z
      .string()
      .nullable()
      .describe('Active release that is scaled. Null: the number takes effect with the next deployment.'),
  })
  .meta({ id: 'Scaled' });

export const scaleRoutes = (scaling: Scaling): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/projects/:id/scale',
    permission: 'deployment:write',
    summary: 'Change how many replicas of a service run',
    description:
      'Needs no build and continues in the background; `GET /api/deployments/:id/info` shows the replicas. Later deployments keep the number.',
    params: idParams,
    body: z.object({
      service: z.string().max(100).optional().describe('Name of the service; required if there are several.'),
      replicas: ReplicaCount,
      environment: Environment,
    }),
    output: itemResponse(Scaled),
    status: 202,
    handle: async ({ caller, params: { id }, body }) => okItem(await scaling.scale(caller, id, body)),
  }),
];
