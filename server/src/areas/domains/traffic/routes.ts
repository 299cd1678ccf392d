import { z } from '../../../lib/zod/index.ts';
import type { Db } from '../../../db/database.ts';
import { idParams, isoTime, okItem, itemResponse, timeField } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { visibleProject } from '../../projects/port.ts';
import { percentile, type TrafficSum, totalTraffic } from './histogram.ts';
import { selectTraffic, trafficSumIn } from './store.ts';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** Length and step in seconds. */
const windows = {
  '1h': { length: hour, step: minute },
  '6h': { length: 6 * hour, step: 5 * minute },
  '24h': { length: day, step: 15 * minute },
  '7d': { length: 7 * day, step: hour },
  '30d': { length: 30 * day, step: 6 * hour },
};
type Window = keyof typeof windows;

const figures = {
  requests: z.number(),
  statuses: z
    .object({ '1xx': z.number(), '2xx': z.number(), '3xx': z.number(), '4xx': z.number(), '5xx': z.number() })
    .describe('Number of responses by status class.'),
  bytesIn: z.number(),
  bytesOut: z.number(),
  latencyMs: z
    .object({ p50: z.number().nullable(), p95: z.number().nullable(), p99: z.number().nullable() })
    .describe('Response-time percentiles in milliseconds.'),
};

const Traffic = z
  .object({
    environment: z.string(),
    from: timeField,
    to: timeField,
    stepSeconds: z.number(),
    totals: z.object(figures),
    points: z.array(z.object({ at: timeField, ...figures })).describe('Only intervals with requests.'),
  })
  .meta({ id: 'Traffic' });

const Query = z.object({
  window: z.enum(Object.keys(windows) as [Window, ...Window[]]).default('24h'),
  environment: z.string().max(40).default('production'),
});

const kinds = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

const present = ({ requests, bytesIn, bytesOut, statuses, latency }: TrafficSum) => ({
  requests,
  statuses: Object.fromEntries(kinds.map((kind, i) => [kind, statuses[i] ?? 0])) as Record<
    (typeof kinds)[number],
    number
  >,
  bytesIn,
  bytesOut,
  latencyMs: { p50: percentile(latency, 0.5), p95: percentile(latency, 0.95), p99: percentile(latency, 0.99) },
});

export const trafficRoutes = (db: Db): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/projects/:id/traffic',
    permission: 'project:read',
    summary: 'Requests, errors and response times of a project',
    description: 'Counted by the edge; a few seconds old.',
    params: idParams,
    query: Query,
    output: itemResponse(Traffic),
    async handle({ caller, params: { id }, query: { window, environment } }) {
      const { organizationId } = await visibleProject(db, caller, id, 'read');
      const { length, step } = windows[window];
      const now = Date.now();
      const from = Math.floor(now / 1000 / step - length / step + 1) * step * 1000;
      const rows = await selectTraffic(db, { organizationId, projectId: id, environment, since: from });
      const steps = Map.groupBy(rows, ({ beginsAt }) => Math.floor(beginsAt / 1000 / step) * step * 1000);
      const points = [...steps]
        .toSorted(([one], [other]) => one - other)
        .map(([at, those]) => ({ at: isoTime(at), ...present(totalTraffic(those.map(trafficSumIn))) }));
      const totals = present(totalTraffic(rows.map(trafficSumIn)));
      return okItem({ environment, from: isoTime(from), to: isoTime(now), stepSeconds: step, totals, points });
    },
  }),
];
