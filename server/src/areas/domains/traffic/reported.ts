import { z } from 'zod';
import { type EdgeTraffic, latencyBounds } from '../../../drivers/edge/edge.ts';

const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

const Minute = z.object({
  key: z.string().max(500),
  minute: count,
  requests: count,
  statuses: z.tuple([count, count, count, count, count]),
  bytesIn: count,
  bytesOut: count,
  latency: z.array(count).length(latencyBounds.length + 1),
});

const Report = z.object({ run: z.string().min(1).max(100), minutes: z.array(z.unknown()) });

/** What the edge of a server says, as far as it can be true: that machine is somebody else's. */
export function believable(said: unknown, { from, to }: { from: number; to: number }): EdgeTraffic {
  const { run, minutes } = Report.parse(said);
  const read = minutes.flatMap((each) => Minute.safeParse(each).data ?? []);
  return { run, minutes: read.filter(({ minute }) => minute >= from && minute <= to) };
}
