import { z } from '../../../lib/zod/index.ts';
import { emptyResponse, idParams, listResponse, okItem, okDone, itemResponse } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import type { ProjectTable } from '../../../db/tables.ts';
import {
  EnsuredProject,
  NewAddress,
  NewAddressQuery,
  presentProject,
  Project,
  ProjectBody,
  ProjectChange,
} from './schemas.ts';
import type { Projects } from './service.ts';

/** Returns the slug URLs of projects, wherever they run. */
export type UrlsOf = (rows: readonly Pick<ProjectTable, 'slug' | 'serverId'>[]) => Promise<string[]>;

export function projectRoutes(projects: Projects, urlsOf: UrlsOf): Route[] {
  const presentAll = async (rows: readonly ProjectTable[]) => {
    const urls = await urlsOf(rows);
    return rows.map((row, i) => presentProject(row, urls[i]!));
  };
  const present = async (row: ProjectTable) => (await presentAll([row]))[0]!;
  return [
    defineRoute({
      method: 'GET',
      path: '/api/projects',
      permission: 'project:list',
      summary: 'List projects',
      output: listResponse(Project),
      handle: async ({ caller }) => okItem(await presentAll(await projects.list(caller))),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/projects',
      permission: 'project:write',
      summary: 'Create a project',
      status: 201,
      body: ProjectBody,
      output: itemResponse(Project),
      handle: async ({ caller, body }) => okItem(await present(await projects.create(caller, body))),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/projects/ensure',
      permission: 'project:write',
      summary: 'Create a project, or change the one of that name',
      description: 'Idempotent and safe to call concurrently: a name has one project.',
      body: ProjectBody,
      output: EnsuredProject,
      async handle({ caller, body }) {
        const { id, created } = await projects.ensure(caller, body);
        return { success: true as const, project_id: id, created };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/projects/new-address',
      permission: 'project:write',
      summary: 'Show the slug and address that a new project of this name would get',
      description: 'Creates nothing. Pass the slug on to `POST /api/projects` to get exactly this address, or a 409.',
      query: NewAddressQuery,
      output: itemResponse(NewAddress),
      async handle({ caller, query }) {
        const { serverId, ...address } = await projects.newAddress(caller, query);
        const [url] = await urlsOf([{ slug: address.slug, serverId }]);
        return okItem({ ...address, url: url! });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/projects/:id',
      permission: 'project:read',
      summary: 'Show a project',
      params: idParams,
      output: itemResponse(Project),
      handle: async ({ caller, params }) => okItem(await present(await projects.get(caller, params.id))),
    }),
    defineRoute({
      method: 'PATCH',
      path: '/api/projects/:id',
      permission: 'project:write',
      summary: 'Change a project',
      description: 'Omitted fields keep their values; null restores detection. Takes effect with the next deployment.',
      params: idParams,
      body: ProjectChange,
      output: itemResponse(Project),
      handle: async ({ caller, params, body }) => okItem(await present(await projects.update(caller, params.id, body))),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/projects/:id',
      permission: 'project:admin',
      summary: 'Delete a project',
      description:
        'Stops the project and deletes its deployments, variables and uploads. Volumes are kept unless `volumes=true`; `GET /api/projects/:id/volumes` lists them.',
      params: idParams,
      query: z.object({
        volumes: z
          .enum(['true', 'false'])
          .optional()
          .describe('`true`: also delete its volumes. This cannot be undone.'),
        abandon: z
          .enum(['true', 'false'])
          .optional()
          .describe(
            '`true`: give up what is in the cloud or on a server that does not respond, for machines that are gone for good.',
          ),
      }),
      output: emptyResponse,
      async handle({ caller, params, query }) {
        const { volumes, abandon } = query;
        await projects.delete(caller, params.id, { volumes: volumes === 'true', abandon: abandon === 'true' });
        return okDone;
      },
    }),
  ];
}
