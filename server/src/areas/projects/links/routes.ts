import { z } from 'zod';
import { done, idParams, isoTimeOrNull, ok, okDone, one, time } from '../../../http/answers.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import type { Projects } from '../projects/service.ts';
import { BranchName, HostName } from '../projects/source.ts';
import type { LinkRow } from './store.ts';

const text = z.string().nullable();
const Link = z
  .object({
    projectId: z.string(),
    repositoryId: z.number().nullable().describe('Null until the git host could be asked.'),
    owner: z.string(),
    repo: z.string(),
    branch: text.describe('Whose pushes are deployed.'),
    seenCommit: text.describe('What was at its head when we last heard of it.'),
    announced: z.boolean().describe('Whether the git host announces pushes. Else its branches are looked at.'),
    checkedAt: time.nullable(),
    problem: text.describe('Why the repository cannot be followed at the moment.'),
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
    summary: 'The repository that a project follows',
    params: idParams,
    output: one(Link),
    handle: async ({ caller, params }) => ok(present(await projects.linkOf(caller, params.id))),
  }),
  defineRoute({
    method: 'POST',
    path,
    permission: 'project:write',
    summary: 'Have a project follow a repository of the git host',
    description:
      'Sets the source of the project. What is pushed to the branch from now on is deployed by itself, unless `autoDeploy` is off; what is there already is not.',
    params: idParams,
    body: z.object({
      owner: HostName,
      repo: HostName,
      branch: BranchName.optional().describe('The default branch if it is not given.'),
    }),
    output: one(Link),
    handle: async ({ caller, params, body }) => ok(present(await projects.link(caller, params.id, body))),
  }),
  defineRoute({
    method: 'DELETE',
    path,
    permission: 'project:write',
    summary: 'Have a project follow no repository any more',
    description: 'What runs goes on. The project then takes uploads.',
    params: idParams,
    output: done,
    async handle({ caller, params }) {
      await projects.unlink(caller, params.id);
      return okDone;
    },
  }),
];
