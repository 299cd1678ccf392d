import { emptyResponse, listResponse, okItem, okDone, itemResponse } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import {
  CloneTokenAnswer,
  FileAnswer,
  FileQuery,
  FilesQuery,
  GitHostBranch,
  GitHostFile,
  GitHostRepository,
  ListQuery,
  NewRepositoryBody,
  organizationParams,
  presentCloneToken,
  presentRepository,
  presentWithBranches,
  RepositoryQuery,
  repositoryParams,
  RepositoryWithBranches,
} from './schemas.ts';
import type { RepositoryChanges } from './changes.ts';
import type { Repositories } from './service.ts';

type Params = { owner: string; repo: string };
const named = ({ owner, repo }: Params) => ({ owner, name: repo });
const at = (path: string, branch: string | undefined) => ({ path, ...(branch && { branch }) });

export const repositoryRoutes = (repositories: Repositories, changes: RepositoryChanges): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/githost/repos',
    permission: 'githost:list',
    summary: 'List repositories of the git host',
    description: 'Repositories that the connections and the grants of the caller give access to.',
    query: ListQuery,
    output: listResponse(GitHostRepository),
    handle: async ({ caller, query }) =>
      okItem((await repositories.list(caller, query.owner || undefined)).map(presentRepository)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/githost/repos',
    permission: 'githost:write',
    summary: 'Create a repository at the git host',
    status: 201,
    body: NewRepositoryBody,
    output: itemResponse(GitHostRepository),
    async handle({ caller, body: { name, private: isPrivate, owner } }) {
      return okItem(presentRepository(await changes.create(caller, { name, isPrivate, owner })));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/githost/orgs/:org/repos',
    permission: 'githost:list',
    summary: 'List repositories of an organization of the git host',
    params: organizationParams,
    output: listResponse(GitHostRepository),
    handle: async ({ caller, params }) =>
      okItem((await repositories.ofOrganization(caller, params.org)).map(presentRepository)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/githost/repos/:owner/:repo',
    permission: 'githost:read',
    summary: 'Show a repository of the git host',
    params: repositoryParams,
    query: RepositoryQuery,
    output: itemResponse(RepositoryWithBranches),
    async handle({ caller, params, query }) {
      if (query.branches !== 'true') {
        const { repository, source } = await repositories.get(caller, named(params));
        return okItem(presentWithBranches({ ...repository, source: source.kind }, undefined));
      }
      const { repository, source, branches } = await repositories.withBranches(caller, named(params));
      return okItem(presentWithBranches({ ...repository, source: source.kind }, branches));
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/githost/repos/:owner/:repo',
    permission: 'githost:admin',
    summary: 'Delete a repository at the git host',
    description: 'Deletes it at the git host, with everything in it.',
    params: repositoryParams,
    output: emptyResponse,
    async handle({ caller, params }) {
      await changes.delete(caller, named(params));
      return okDone;
    },
  }),
  ...contentRoutes(repositories),
];

const contentRoutes = (repositories: Repositories): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/githost/repos/:owner/:repo/branches',
    permission: 'githost:list',
    summary: 'List branches of a repository',
    params: repositoryParams,
    output: listResponse(GitHostBranch),
    handle: async ({ caller, params }) => okItem(await repositories.branches(caller, named(params))),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/githost/repos/:owner/:repo/clone-token',
    permission: 'githost:read',
    summary: 'Get a short-lived token for cloning a repository',
    description: 'Only if the app is installed for the owner (409 otherwise). Mooring revokes it within an hour.',
    params: repositoryParams,
    output: CloneTokenAnswer,
    handle: async ({ caller, params }) => presentCloneToken(await repositories.cloneToken(caller, named(params))),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/githost/repos/:owner/:repo/files',
    permission: 'githost:list',
    summary: 'List a folder of a repository',
    params: repositoryParams,
    query: FilesQuery,
    output: listResponse(GitHostFile),
    handle: async ({ caller, params, query: { path = '', branch } }) =>
      okItem(await repositories.directory(caller, named(params), at(path, branch))),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/githost/repos/:owner/:repo/file',
    permission: 'githost:read',
    summary: 'Show a file of a repository',
    description: 'Text of at most 1 MB; anything else is a 400.',
    params: repositoryParams,
    query: FileQuery,
    output: FileAnswer,
    async handle({ caller, params, query: { file, branch } }) {
      const content = await repositories.file(caller, named(params), at(file, branch));
      return { success: true as const, ...content, path: file };
    },
  }),
];
