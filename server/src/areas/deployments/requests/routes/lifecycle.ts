import { z } from 'zod';
import { done, idParams, ok, okDone, one } from '../../../../http/answers.ts';
import { defineRoute, type Route } from '../../../../http/define-route.ts';
import type { Removal } from '../removal.ts';
import { Deployment, presentDeployment, Redeployed, Started, started } from '../schemas.ts';
import type { Deployments } from '../service.ts';

const answer = one(Deployment);
const params = idParams;

export const lifecycleRoutes = (deployments: Deployments, removal: Removal): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/deployments/:id/build',
    permission: 'deployment:write',
    summary: 'Start the build of a queued deployment',
    params,
    output: Started,
    handle: async ({ caller, params: { id } }) => started(await deployments.begin(caller, id)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/deployments/:id/build/respond',
    permission: 'deployment:write',
    summary: 'Answer the open question of a deployment',
    params,
    body: z.object({ promptId: z.string().max(100).optional(), response: z.string().max(100) }),
    output: answer,
    handle: async ({ caller, params: { id }, body }) =>
      ok(presentDeployment(await deployments.respond(caller, id, body.promptId, body.response))),
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
        .describe('The exact commit of that deployment instead of the latest of its branch.'),
      reuseArtifact: z
        .boolean()
        .default(false)
        .describe(
          'Start the artifact of this deployment, the active release, with the settings and variables of now. It is built only if one of those needs that; `buildReasons` names them.',
        ),
    }),
    output: Redeployed,
    async handle({ caller, params: { id }, body }) {
      if (!body.reuseArtifact) return started(await deployments.redeploy(caller, id, body.useExistingCommit));
      const { row, buildReasons } = await deployments.apply(caller, id);
      return { ...started(row), buildReasons };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/deployments/:id/rollback',
    permission: 'deployment:write',
    onTarget: 'admin',
    summary: 'Make the release of this deployment the active one again',
    description: 'Needs `deployment:admin` on the deployment.',
    params,
    output: Started,
    handle: async ({ caller, params: { id } }) => started(await deployments.rollback(caller, id)),
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
    handle: async ({ caller, params: { id } }) => ok(presentDeployment(await deployments.cancel(caller, id))),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/deployments/:id/pin',
    permission: 'deployment:write',
    summary: 'Protect a deployment from cleanup, or not any more',
    params,
    body: z.object({ pinned: z.boolean().default(true) }),
    output: answer,
    handle: async ({ caller, params: { id }, body }) =>
      ok(presentDeployment(await deployments.pin(caller, id, body.pinned))),
  }),
  ...(['keep', 'reject'] as const).map((decision) =>
    defineRoute({
      method: 'POST',
      path: `/api/deployments/:id/${decision}`,
      permission: 'deployment:write',
      summary: decision === 'keep' ? 'Accept the services that succeeded' : 'Roll the changed services back',
      description: 'Only while the deployment waits for a decision (400 otherwise).',
      params,
      output: answer,
      handle: async ({ caller, params: { id } }) =>
        ok(presentDeployment(await deployments.decide(caller, id, decision))),
    }),
  ),
  defineRoute({
    method: 'DELETE',
    path: '/api/deployments/:id',
    permission: 'deployment:admin',
    summary: 'Delete a deployment',
    description: 'One in progress is cancelled first; the active release is stopped with its routes.',
    params,
    output: done,
    async handle({ caller, params: { id } }) {
      await removal.remove(caller, id);
      return okDone;
    },
  }),
];
