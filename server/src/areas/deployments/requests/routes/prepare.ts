import type { PrepareOptions } from '../../source/preparing.ts';
import { z } from '../../../../lib/zod/index.ts';
import { AppError, badRequest } from '../../../../errors.ts';
import { okItem, itemResponse } from '../../../../http/responses.ts';
import { defineRoute, type Route } from '../../../../http/define-route.ts';
import {
  BranchName,
  Detected,
  HostName,
  LocalPath,
  sourceSelectionFields,
  requireMayUse,
} from '../../../projects/port.ts';

const PrepareBody = z.object({
  source: z.enum(['githost', 'local']),
  owner: HostName.optional(),
  repo: HostName.optional(),
  url: z.string().max(2000).optional().describe('Any git repository, instead of `owner` and `repo`.'),
  branch: BranchName.optional(),
  path: LocalPath.optional().describe('For `local`.'),
  ...sourceSelectionFields,
});

export const prepareRoutes = (prepare: PrepareOptions, mode: 'self-hosted' | 'cloud'): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/deployments/prepare',
    permission: 'deployment:write',
    summary: 'Detect how a source would be built and started',
    description: 'Creates nothing.',
    body: PrepareBody,
    output: itemResponse(Detected),
    async handle({ caller, body }) {
      if (body.source === 'local') {
        if (mode === 'cloud') throw new AppError('local_in_cloud', 'local sources are not available in cloud mode');
        if (!body.path) throw badRequest('path is required', 'path');
        requireMayUse(caller, { type: 'local', path: body.path });
        return okItem(await prepare.local(caller, body.path, body));
      }
      const { owner, repo } = body;
      if (owner !== undefined && repo !== undefined)
        return okItem(await prepare.gitHost(caller, { owner, repo }, body));
      if (owner !== undefined || repo !== undefined)
        throw badRequest(
          `${owner === undefined ? 'owner' : 'repo'} is required`,
          owner === undefined ? 'owner' : 'repo',
        );
      if (!body.url) throw badRequest('owner and repo are required, or the url of a repository', 'owner');
      prepare.checkUrl(body.url);
      return okItem(await prepare.git(caller, body.url, body));
    },
  }),
];
