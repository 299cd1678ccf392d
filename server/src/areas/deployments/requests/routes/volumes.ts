import { z } from 'zod';
import { idParams, isoTimeOrNull, list, ok, time } from '../../../../http/answers.ts';
import { defineRoute, type Route } from '../../../../http/define-route.ts';
import type { Machines } from '../../model/machines.ts';
import type { ProjectsPort } from '../../model/projects-port.ts';

const Volume = z
  .object({
    id: z.string().describe('Its name in the container engine.'),
    name: z.string().nullable().describe('As in the compose file; null for one without a name there.'),
    service: z.string().nullable().describe('Whose it is, where it has no name.'),
    environment: z.string(),
    createdAt: time.nullable(),
  })
  .meta({ id: 'Volume' });

export const volumeRoutes = (projects: ProjectsPort, machines: Machines): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/projects/:id/volumes',
    permission: 'project:read',
    summary: 'Volumes of a project',
    description: 'What its services keep. Deployments never remove them; deleting the project does if it is asked to.',
    params: idParams,
    output: list(Volume),
    async handle({ caller, params: { id } }) {
      const project = await projects.find(caller, id, 'read');
      const { containers } = await machines.of({
        organization_id: project.organizationId,
        server_id: project.serverId,
      });
      const found = (await containers?.services.volumes({ projectId: project.id })) ?? [];
      return ok(
        found.map(({ stack, createdAt, ...volume }) => {
          return { ...volume, environment: stack.slice(stack.indexOf('/') + 1), createdAt: isoTimeOrNull(createdAt) };
        }),
      );
    },
  }),
];
