import { latencyBounds } from '../../../drivers/edge/edge.ts';

/** Traffic counters of a period. */
export interface TrafficSum {
  requests: number;
  bytesIn: number;
  bytesOut: number;
  /** By status class: 1xx to 5xx. */
  statuses: number[];
  /** Counts by `latencyBounds`, plus one bucket beyond. */
  latency: number[];
}

export const noTraffic = (): TrafficSum => ({
  requests: 0,
  bytesIn: 0,
  bytesOut: 0,
  statuses: [0, 0, 0, 0, 0],
  latency: latencyBounds.map(() => 0).concat(0),
});

export const totalTraffic = (all: readonly TrafficSum[]): TrafficSum =>
  all.reduce((sum, each) => {
    return {
      requests: sum.requests + each.requests,
      bytesIn: sum.bytesIn + each.bytesIn,
      bytesOut: sum.bytesOut + each.bytesOut,
      statuses: sum.statuses.map((count, i) => count + (each.statuses[i] ?? 0)),
      latency: sum.latency.map((count, i) => count + (each.latency[i] ?? 0)),
    };
  }, noTraffic());

/** Returns a percentile in milliseconds; null without requests. Interpolates linearly within a bucket. */
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
