import { z } from 'zod';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { presentProject, type UrlsOf } from '../projects/port.ts';
import { AdoptAnswer, AdoptBody, serverId } from './adoptions/schemas.ts';
import type { Adoptions } from './adoptions/service.ts';
import type { Scans } from './scan/service.ts';
import { Stack } from './stack/schemas.ts';

type Options = { scans: Scans; adoptions: Adoptions; urlsOf: UrlsOf };

/** Only where whoever runs the instance owns the machines too. */
export const migrationRoutes = ({ scans, adoptions, urlsOf }: Options): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/migration/scan',
    permission: 'server:write',
    summary: 'Look at what runs on a server',
    description:
      'Compose stacks and containers that somebody runs there by hand, held against the compose files beside them. Nothing on the server changes. 502 with the reason in `message` where its engine cannot be asked.',
    mode: 'self-hosted',
    body: z.object({ serverId }),
    output: z.object({ success: z.literal(true), stack: Stack }),
    handle: async ({ caller, body }) => ({
      success: true as const,
      stack: await scans.scan(caller, body.serverId),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/migration/adopt',
    permission: 'server:write',
    summary: 'Make a project of services on a server',
    description:
      'Looks at the server again and takes only the names from the request. Named volumes are used in place. Nothing is deployed, and nothing on the server changes. 400 `not_trusted` for what reaches the machine, 409 for what a project has already.',
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
