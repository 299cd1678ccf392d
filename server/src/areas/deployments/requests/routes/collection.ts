import { z } from '../../../../lib/zod/index.ts';
import { AppError } from '../../../../errors.ts';
import { okItem, okPage, itemResponse, pageResponse, pageQuery } from '../../../../http/responses.ts';
import { defineRoute, type Route } from '../../../../http/define-route.ts';
import { statuses } from '../../model/model.ts';
import {
  AccessBody,
  CreateBody,
  Deployment,
  PlanAnswer,
  presentDeployment,
  StartedDeployment,
  deploymentStarted,
} from '../schemas.ts';
import type { Previews } from '../preview.ts';
import type { CloudPort } from '../cloud-port.ts';
import type { AccessDeploymentRequest } from '../new-deployments.ts';
import type { Deployments } from '../service.ts';

const ListQuery = z.object({
  ...pageQuery,
  projectId: z.string().max(100).optional(),
  status: z.enum(statuses).optional(),
  latest: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true`: only the newest deployment of each project, in `environment` if that is given.'),
  active: z.enum(['true', 'false']).optional().describe('`true`: only releases that serve requests.'),
  environment: z.string().max(100).optional(),
});

export const collectionRoutes = (
  deployments: Deployments,
  previews: Previews,
  mode: 'self-hosted' | 'cloud',
  cloud: () => CloudPort,
): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/deployments',
    permission: 'deployment:list',
    summary: 'List deployments, newest first',
    query: ListQuery,
    output: pageResponse(Deployment),
    async handle({ caller, query }) {
      const filter = { ...query, latest: query.latest === 'true', active: query.active === 'true' };
      const { page: found, nextCursor } = await deployments.list(caller, filter);
      return okPage(found, nextCursor);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/deployments',
    permission: 'deployment:write',
    summary: 'Deploy a project from its git source',
    status: 202,
    body: CreateBody,
    output: itemResponse(Deployment),
    async handle({ caller, body }) {
      const wanted = { ...body, envVars: {}, port: null, keepsServices: true };
      const there = (await deployments.isForCloud(caller, wanted)) ? await cloud().deploy(caller, wanted) : undefined;
      return okItem(there ?? presentDeployment(await deployments.fromGit(caller, body)));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/deployments/build/access',
    permission: 'deployment:write',
    summary: 'Create a deployment and start its build',
    description:
      'Deploys an upload (`uploadSessionId`), the source of the project, or `services`. A project without a source deploys its previous services again.',
    body: AccessBody,
    output: StartedDeployment,
    async handle({ caller, body }) {
      const wanted = accessOf(body, mode);
      const there = (await deployments.isForCloud(caller, wanted)) ? await cloud().deploy(caller, wanted) : undefined;
      if (there) return { success: true as const, deployment_id: there.id, project_id: there.projectId };
      return deploymentStarted(await deployments.fromAccess(caller, wanted));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/deployments/plan',
    permission: 'deployment:write',
    summary: 'Plan a deployment: what it would do to each service',
    description: 'Takes the body of `build/access` and deploys nothing.',
    body: AccessBody,
    output: itemResponse(PlanAnswer),
    handle: async ({ caller, body }) =>
      okItem(await previews.plan(await deployments.wouldBe(caller, accessOf(body, mode)))),
  }),
];

/** Validates the request for this instance's mode. */
function accessOf(body: z.output<typeof AccessBody>, mode: 'self-hosted' | 'cloud'): AccessDeploymentRequest {
  if (body.uploadSessionId && mode === 'cloud')
    throw new AppError('local_in_cloud', 'folders cannot be deployed in cloud mode');
  const port = body.publicEndpoints?.find((each) => each.port !== undefined)?.port ?? null;
  return { ...body, port };
}
