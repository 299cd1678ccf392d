import { z } from '../../../../lib/zod/index.ts';
import { emptyResponse, idParams, okItem, okDone, itemResponse } from '../../../../http/responses.ts';
import { defineRoute, type Route } from '../../../../http/define-route.ts';
import type { RemovalService } from '../removal.ts';
import {
  Deployment,
  presentDeployment,
  RedeployedDeployment,
  StartedDeployment,
  deploymentStarted,
} from '../schemas.ts';
import type { Deployments } from '../service.ts';

const answer = itemResponse(Deployment);
const params = idParams;

export const lifecycleRoutes = (deployments: Deployments, removal: RemovalService): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/deployments/:id/build',
    permission: 'deployment:write',
    summary: 'Start the build of a queued deployment',
    params,
    output: StartedDeployment,
    handle: async ({ caller, params: { id } }) => deploymentStarted(await deployments.begin(caller, id)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/deployments/:id/build/respond',
    permission: 'deployment:write',
    summary: 'Answer the question of a deployment',
    params,
    body: z.object({ promptId: z.string().max(100).optional(), response: z.string().max(100) }),
    output: answer,
    handle: async ({ caller, params: { id }, body }) =>
      okItem(presentDeployment(await deployments.respond(caller, id, body.promptId, body.response))),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/deployments/:id/redeploy',
    permission: 'deployment:write',
    summary: 'Deploy again',
    params,
    body: z.object({
      useExistingCommit: z
        .boolean()
        .default(false)
        .describe('Deploy the same commit again instead of the latest one of its branch.'),
      reuseArtifact: z
        .boolean()
        .default(false)
        .describe(
          'Start the artifact of the active release with the current settings and variables. Builds only if one of them requires it; `buildReasons` says which.',
        ),
    }),
    output: RedeployedDeployment,
    async handle({ caller, params: { id }, body }) {
      if (!body.reuseArtifact) return deploymentStarted(await deployments.redeploy(caller, id, body.useExistingCommit));
      const { row, buildReasons } = await deployments.apply(caller, id);
      return { ...deploymentStarted(row), buildReasons };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/deployments/:id/rollback',
    permission: 'deployment:write',
    onTarget: 'admin',
    summary: 'Roll back to this deployment',
    description: 'Needs `deployment:admin` on the deployment.',
    params,
    output: StartedDeployment,
    handle: async ({ caller, params: { id } }) => deploymentStarted(await deployments.rollback(caller, id)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/deployments/:id/cancel',
    permission: 'deployment:write',
    onTarget: 'admin',
    summary: 'Cancel a deployment that is queued or in progress',
    description: 'Needs `deployment:admin` on the deployment.',
    params,
    output: answer,
    handle: async ({ caller, params: { id } }) => okItem(presentDeployment(await deployments.cancel(caller, id))),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/deployments/:id/pin',
    permission: 'deployment:write',
    summary: 'Pin or unpin a deployment, so that cleanup keeps it',
    params,
    body: z.object({ pinned: z.boolean().default(true) }),
    output: answer,
    handle: async ({ caller, params: { id }, body }) =>
      okItem(presentDeployment(await deployments.pin(caller, id, body.pinned))),
  }),
  ...(['keep', 'reject'] as const).map((decision) =>
    defineRoute({
      method: 'POST',
      path: `/api/deployments/:id/${decision}`,
      permission: 'deployment:write',
      summary: decision === 'keep' ? 'Accept the services that succeeded' : 'Roll back the services that changed',
      description: 'Only while the deployment needs a decision (400 otherwise).',
      params,
      output: answer,
      handle: async ({ caller, params: { id } }) =>
        okItem(presentDeployment(await deployments.decide(caller, id, decision))),
    }),
  ),
  defineRoute({
    method: 'DELETE',
    path: '/api/deployments/:id',
    permission: 'deployment:admin',
    summary: 'Delete a deployment',
    description: 'Cancels a deployment in progress first. Deleting the active release stops it and removes its routes.',
    params,
    output: emptyResponse,
    async handle({ caller, params: { id } }) {
      await removal.remove(caller, id);
      return okDone;
    },
  }),
];
