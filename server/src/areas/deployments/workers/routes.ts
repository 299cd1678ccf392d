import { z } from '../../../lib/zod/index.ts';
import type { DatabaseKind, Db } from '../../../db/database.ts';
import { forbidden } from '../../../errors.ts';
import { isoTime, listResponse, okItem, timeField } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { selectWorkers } from './worker-store.ts';

const Worker = z
  .object({
    id: z.string(),
    name: z.string(),
    platforms: z.array(z.string()).describe('Platforms that it builds, such as `linux/arm64`.'),
    labels: z.array(z.string()),
    version: z.string(),
    lastSeenAt: timeField,
    isConnected: z.boolean().describe('False if it has not reported for 15 s. After a day it is not listed any more.'),
    builds: z
      .array(z.object({ deploymentId: z.string(), service: z.string(), platform: z.string() }))
      .describe('What it builds now.'),
  })
  .meta({ id: 'Worker' });

export const workerRoutes = (db: Db, kind: DatabaseKind): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/workers',
    permission: 'signed-in',
    summary: 'List build workers',
    description: 'Only for the instance owner.',
    output: listResponse(Worker),
    async handle({ caller }) {
      if (!caller.isInstanceOwner) throw forbidden('only the instance owner may see build workers');
      const workers = await selectWorkers(db, kind);
      return okItem(workers.map(({ seenAt, ...rest }) => ({ ...rest, lastSeenAt: isoTime(seenAt) })));
    },
  }),
];
