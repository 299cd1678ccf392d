import { z } from '../../../../lib/zod/index.ts';
import type { Db } from '../../../../db/database.ts';
import {
  idParams,
  isoTime,
  okItem,
  itemResponse,
  pageResponse,
  timeField,
  timeQuery,
} from '../../../../http/responses.ts';
import { defineRoute, type Route } from '../../../../http/define-route.ts';
import type { Broadcasts } from '../../../../events/broadcasts.ts';
import type { Machines } from '../../model/machines.ts';
import { BuildState, Deployment, presentBuild, presentDeployment } from '../schemas.ts';
import type { Deployments } from '../service.ts';
import { withVolumeAdvice, isOfRelease, selectWarnings } from '../../release/stray-writes.ts';
import { selectMounted } from '../../model/volume-store.ts';
import { selectSteps } from '../../model/step-store.ts';
import { recordedLines } from '../recorded-lines.ts';

const LogLineOut = z
  .object({
    at: timeField,
    kind: z.enum(['build', 'runtime']),
    line: z.string(),
    level: z.string(),
    step: z.string().nullable(),
    stream: z.string(),
    service: z.string().nullable(),
    replica: z.number().nullable().describe('Replica that wrote the line; null for build output.'),
    seq: z.number().nullable(),
  })
  .meta({ id: 'LogLine' });

const LogQueryIn = z.object({
  kind: z.enum(['build', 'runtime']).optional(),
  tail: z.coerce.number().int().min(1).max(10_000).default(1000),
  since: timeQuery.optional(),
  service: z.string().max(100).optional(),
});

type Deps = { deployments: Deployments; broadcasts: Broadcasts; db: Db; machines: Machines };

export const logRoutes = ({ deployments, broadcasts, db, machines }: Deps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/deployments/:id',
    permission: 'deployment:read',
    summary: 'Status, addresses, timing and error of a deployment',
    params: idParams,
    output: itemResponse(Deployment),
    handle: async ({ caller, params: { id } }) => okItem(presentDeployment(await deployments.get(caller, id))),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/deployments/:id/logs',
    permission: 'deployment:read',
    summary: 'Recorded output of the build and of the running app',
    params: idParams,
    query: LogQueryIn,
    output: pageResponse(LogLineOut),
    async handle({ caller, params: { id }, query }) {
      const row = await deployments.get(caller, id);
      const redact = deployments.redactorOf(row);
      const { runtime } = await machines.of(row);
      const lines = await recordedLines(db, runtime, row, query);
      return {
        success: true as const,
        data: lines.map((line) => ({ ...line, line: redact(line.line), at: isoTime(line.at) })),
        nextCursor: null,
      };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/deployments/:id/stream',
    permission: 'deployment:read',
    summary: 'Stream a deployment as server-sent events',
    description:
      'Event ids are sequence numbers. `since` or `Last-Event-ID` resumes after that event (after the later one if both are given). Returns 204 once the deployment has finished and every event was read.',
    params: idParams,
    query: z.object({ since: z.coerce.number().int().min(0).max(2_147_483_647).optional() }),
    streams: true,
    output: z.unknown(),
    async handle({ caller, params: { id }, query, headers, stream, noContent }) {
      const row = await deployments.get(caller, id);
      const last = Number(/^\d{1,9}$/.exec(String(headers['last-event-id'] ?? ''))?.[0] ?? 0);
      // A browser that reconnects still has the `since` of its first request in the URL.
      const since = Math.max(query.since ?? 0, last);
      if (row.finishedAt !== null && since >= row.lastSeq) return noContent();
      await broadcasts.follow(
        row.id,
        since,
        stream((now) => deployments.get(now, id)),
      );
      return undefined;
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/deployments/:id/build',
    permission: 'deployment:read',
    summary: 'Progress of a deployment, step by step',
    params: idParams,
    output: itemResponse(BuildState),
    async handle({ caller, params: { id } }) {
      const row = await deployments.get(caller, id);
      const told = await selectWarnings(db, id);
      const isAtRisk = told.some(({ line }) => isOfRelease(line));
      const volumes = isAtRisk ? await selectMounted(db, row) : [];
      const written = told.map((warning) => ({ ...warning, line: withVolumeAdvice(volumes, warning) }));
      const releaseCommandsSince = await deployments.releaseCommandsSince(row);
      return okItem(presentBuild(row, await selectSteps(db, id), { written, releaseCommandsSince }));
    },
  }),
];
