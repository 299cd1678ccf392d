import { latencyBounds } from '../../../drivers/edge/edge.ts';

/** What was asked in some time, added up. */
export interface Sum {
  requests: number;
  bytesIn: number;
  bytesOut: number;
  /** By the first figure of the status: 1xx, 2xx, 3xx, 4xx, 5xx. */
  statuses: number[];
  /** Counts by `latencyBounds`, and at the end those beyond. */
  latency: number[];
}

export const nothing = (): Sum => ({
  requests: 0,
  bytesIn: 0,
  bytesOut: 0,
  statuses: [0, 0, 0, 0, 0],
  latency: latencyBounds.map(() => 0).concat(0),
});

export const totalTraffic = (all: readonly Sum[]): Sum =>
  all.reduce((sum, each) => {
    return {
      requests: sum.requests + each.requests,
      bytesIn: sum.bytesIn + each.bytesIn,
      bytesOut: sum.bytesOut + each.bytesOut,
      statuses: sum.statuses.map((count, i) => count + (each.statuses[i] ?? 0)),
      latency: sum.latency.map((count, i) => count + (each.latency[i] ?? 0)),
    };
  }, nothing());

/** The time within which this share of the requests was answered, in milliseconds; null without requests. Within a bucket they are
 * taken to be spread evenly. */
export function percentile(latency: readonly number[], share: number): number | null {
  const total = latency.reduce((sum, count) => sum + count, 0);
  if (!total) return null;
  let left = share * total;
  for (const [i, count] of latency.entries()) {
    if (left > count || !count) {
      left -= count;
      continue;
    }
    const from = i === 0 ? 0 : latencyBounds[i - 1]!;
    const to = latencyBounds[i] ?? from;
    return Math.round((from + (to - from) * (left / count)) * 10) / 10;
  }
  return latencyBounds.at(-1)!;
}
