import { z } from '../../../lib/zod/index.ts';
import { type EdgeTraffic, latencyBounds } from '../../../drivers/edge/edge.ts';

/** Per minute: far more than a machine can serve, and small enough for exact sums over months. */
const count = z.number().int().min(0).max(1e9);
const bytes = z.number().int().min(0).max(1e12);

const run = z.string().min(1).max(100);

const Minute = z.object({
  key: z.string().max(500),
  minute: count,
  run: run.optional(),
  requests: count,
  statuses: z.tuple([count, count, count, count, count]),
  bytesIn: bytes,
  bytesOut: bytes,
  latency: z.array(count).length(latencyBounds.length + 1),
});

const Report = z.object({ run, minutes: z.array(z.unknown()) });

/** Validates the report of a server's edge: the server is not trusted. */
export function validatedTraffic(said: unknown, { from, to }: { from: number; to: number }): EdgeTraffic {
  const { run: ofAll, minutes } = Report.parse(said);
  const read = minutes.flatMap((each) => Minute.safeParse(each).data ?? []);
  const then = read.filter(({ minute }) => minute >= from && minute <= to);
  // Each row must be unique; the last report of a minute counts.
  const each = new Map(then.map((one) => [JSON.stringify([one.key, one.minute, one.run ?? ofAll]), one]));
  return { run: ofAll, minutes: [...each.values()] };
}
