import { z } from '../../lib/zod/index.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { presentProject, type UrlsOf } from '../projects/port.ts';
import { AdoptAnswer, AdoptBody, serverId } from './adoptions/schemas.ts';
import type { Adoptions } from './adoptions/service.ts';
import type { Scans } from './scan/service.ts';
import { ScannedStack } from './stack/schemas.ts';

type Options = { scans: Scans; adoptions: Adoptions; urlsOf: UrlsOf };

/** Only in self-hosted mode, where the instance owner also owns the machines. */
export const migrationRoutes = ({ scans, adoptions, urlsOf }: Options): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/migration/scan',
    permission: 'server:write',
    summary: 'Scan a server for containers',
    description:
      'Finds compose stacks and other containers, and compares them with their compose files. Changes nothing on the server. 502 with the reason in `message` when its engine does not respond.',
    mode: 'self-hosted',
    body: z.object({ serverId }),
    output: z.object({ success: z.literal(true), stack: ScannedStack }),
    handle: async ({ caller, body }) => ({
      success: true as const,
      stack: await scans.scan(caller, body.serverId),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/migration/adopt',
    permission: 'server:write',
    summary: 'Adopt services on a server as a project',
    description:
      'Scans the server again; the request gives the names only. Named volumes are used in place. Nothing is deployed, and nothing on the server changes. 400 `not_trusted` for what reaches the machine, 409 for what a project has already.',
    mode: 'self-hosted',
    body: AdoptBody,
    output: AdoptAnswer,
    async handle({ caller, body }) {
      const { project, names, warnings } = await adoptions.adopt(caller, body);
      const [url] = await urlsOf([project]);
      return {
        success: true as const,
        project_id: project.id,
        project: presentProject(project, url!),
        adopted: names,
        warnings,
      };
    },
  }),
];
