import { z } from '../../../lib/zod/index.ts';
import {
  emptyResponse,
  idParams,
  isoTimeOrNull,
  okItem,
  okDone,
  itemResponse,
  timeField,
} from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import type { Projects } from '../projects/service.ts';
import { BranchName, HostName } from '../projects/source.ts';
import type { LinkRow } from './store.ts';

const text = z.string().nullable();
const Link = z
  .object({
    projectId: z.string(),
    repositoryId: z.number().nullable().describe('Null until the git host has responded once.'),
    owner: z.string(),
    repo: z.string(),
    branch: text.describe('Branch whose pushes are deployed.'),
    seenCommit: text.describe('Latest known commit of the branch.'),
    announced: z.boolean().describe('Whether a webhook reports pushes. Otherwise Mooring polls the branch.'),
    checkedAt: timeField.nullable(),
    problem: text.describe('Why the repository cannot be read at the moment.'),
  })
  .meta({ id: 'ProjectLink' });

const present = (row: LinkRow): z.input<typeof Link> => ({
  projectId: row.projectId,
  repositoryId: row.repositoryId,
  owner: row.owner,
  repo: row.name,
  branch: row.branch ?? row.defaultBranch,
  seenCommit: row.seenCommit,
  announced: row.heardAt !== null,
  checkedAt: isoTimeOrNull(row.checkedAt),
  problem: row.trouble,
});

const path = '/api/projects/:id/link';

export const linkRoutes = (projects: Projects): Route[] => [
  defineRoute({
    method: 'GET',
    path,
    permission: 'project:read',
    summary: 'Show the linked repository of a project',
    params: idParams,
    output: itemResponse(Link),
    handle: async ({ caller, params }) => okItem(present(await projects.linkOf(caller, params.id))),
  }),
  defineRoute({
    method: 'POST',
    path,
    permission: 'project:write',
    summary: 'Link a project to a repository',
    description:
      'Sets the source of the project. New pushes to the branch are deployed automatically unless `autoDeploy` is off; existing commits are not.',
    params: idParams,
    body: z.object({
      owner: HostName,
      repo: HostName,
      branch: BranchName.optional().describe('The default branch of the repository if omitted.'),
    }),
    output: itemResponse(Link),
    handle: async ({ caller, params, body }) => okItem(present(await projects.link(caller, params.id, body))),
  }),
  defineRoute({
    method: 'DELETE',
    path,
    permission: 'project:write',
    summary: 'Unlink a project from its repository',
    description: 'The active release keeps running. The project then takes uploads.',
    params: idParams,
    output: emptyResponse,
    async handle({ caller, params }) {
      await projects.unlink(caller, params.id);
      return okDone;
    },
  }),
];
