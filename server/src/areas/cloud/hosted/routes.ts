import { okItem } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { presentDeployment } from '../../deployments/port.ts';
import { presentProject, type UrlsOf } from '../../projects/port.ts';
import { Hosted, HostedBody, hostedParams } from './schemas.ts';
import type { HostedProjects } from './service.ts';

export const hostedRoutes = (hosted: HostedProjects, urlsOf: UrlsOf): Route[] => [
  defineRoute({
    method: 'PUT',
    path: '/api/cloud/projects/:id',
    permission: 'project:write',
    mode: 'cloud',
    summary: 'Receive a project from a linked instance and deploy it',
    description: 'The project keeps its id. One received before is updated. Also needs `deployment:write`.',
    bodyLimit: 4_000_000,
    params: hostedParams,
    body: HostedBody,
    output: Hosted,
    async handle({ caller, params: { id }, body }) {
      const { project, deployment } = await hosted.put(caller, id, body);
      const [url] = await urlsOf([project]);
      return okItem({ project: presentProject(project, url!), deployment: presentDeployment(deployment) });
    },
  }),
];
