import type { PrepareOptions } from '../../source/preparing.ts';
import { z } from 'zod';
import { AppError, badRequest } from '../../../../errors.ts';
import { ok, one } from '../../../../http/answers.ts';
import { defineRoute, type Route } from '../../../../http/define-route.ts';
import { BranchName, HostName, LocalPath, requireMayUse } from '../../../projects/port.ts';

const text = z.string().nullable();
const PreparedService = z
  .object({
    name: z.string(),
    image: text,
    build: z
      .object({ context: z.string(), dockerfile: text, target: text })
      .nullable()
      .describe('Null for what is not built. `context` is a folder of the source.'),
    ports: z.array(
      z.object({
        target: z.number(),
        published: z.number().nullable().describe('The port of the machine that it asks for.'),
        protocol: z.string(),
      }),
    ),
    dependsOn: z.array(z.string()),
    environment: z.array(z.string()).describe('Names of its variables.'),
    volumes: z.array(z.string()).describe('Where something is mounted in it.'),
  })
  .meta({ id: 'DetectedService' });
const Prepared = z
  .object({
    framework: text,
    language: text,
    languageVersion: text.describe('As the source asks for it; null when it does not say.'),
    packageManager: text,
    installCommand: text,
    buildCommand: text,
    startCommand: text,
    releaseCommand: text.describe('What the source wants to be run once before each release.'),
    outputDirectory: text,
    port: z.number().nullable(),
    dockerfile: text,
    compose: text.describe('The compose file of the source.'),
    services: z.array(PreparedService).describe('What the compose file is made of; its mistakes are in `reasons`.'),
    apps: z.array(z.object({ name: z.string(), rootDirectory: z.string(), framework: text })),
    variables: z.array(z.object({ key: z.string(), example: text })),
    volumes: z
      .array(z.object({ name: z.string(), path: z.string(), reason: z.string() }))
      .describe('Folders that it is likely to need a volume for.'),
    reasons: z.array(z.string()).describe('Why: one sentence for each conclusion.'),
  })
  .meta({ id: 'Detection' });

const PrepareBody = z.object({
  source: z.enum(['githost', 'local']),
  owner: HostName.optional(),
  repo: HostName.optional(),
  url: z.string().max(2000).optional().describe('Any git repository, instead of `owner` and `repo`.'),
  branch: BranchName.optional(),
  path: LocalPath.optional().describe('For `local`.'),
});

export const prepareRoutes = (prepare: PrepareOptions, mode: 'self-hosted' | 'cloud'): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/deployments/prepare',
    permission: 'deployment:write',
    summary: 'Detect how a source would be built and started',
    description: 'Creates nothing.',
    body: PrepareBody,
    output: one(Prepared),
    async handle({ caller, body }) {
      if (body.source === 'local') {
        if (mode === 'cloud') throw new AppError('local_in_cloud', 'local sources are not available in cloud mode');
        if (!body.path) throw badRequest('path is required', 'path');
        requireMayUse(caller, { type: 'local', path: body.path });
        return ok(await prepare.local(caller, body.path));
      }
      const { owner, repo } = body;
      if (owner !== undefined && repo !== undefined)
        return ok(await prepare.gitHost(caller, { owner, repo }, body.branch ?? null));
      if (owner !== undefined || repo !== undefined)
        throw badRequest(
          `${owner === undefined ? 'owner' : 'repo'} is required`,
          owner === undefined ? 'owner' : 'repo',
        );
      if (!body.url) throw badRequest('owner and repo are required, or the url of a repository', 'owner');
      prepare.checkUrl(body.url);
      return ok(await prepare.git(caller, body.url, body.branch ?? null));
    },
  }),
];
