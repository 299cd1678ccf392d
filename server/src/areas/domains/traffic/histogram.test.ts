import { describe, expect, it } from 'vitest';
import { latencyBounds } from '../../../drivers/edge/edge.ts';
import { noTraffic, percentile, totalTraffic } from './histogram.ts';

const took = (...times: number[]) => {
  const { latency } = noTraffic();
  for (const ms of times) {
    const found = latencyBounds.findIndex((bound) => ms <= bound);
    latency[found < 0 ? latencyBounds.length : found]!++;
  }
  return latency;
};

describe('response times', () => {
  it('are computed from buckets with an error below a sixth', () => {
    const times = Array.from({ length: 1000 }, (_, i) => i + 1);
    for (const [share, ms] of [
      [0.5, 500],
      [0.95, 950],
      [0.99, 990],
    ] as const) {
      const told = percentile(took(...times), share)!;
      expect(Math.abs(told - ms) / ms, `${share}: ${told}`).toBeLessThan(1 / 6);
    }
  });

  it('are null without requests, and the last bound beyond it', () => {
    expect(percentile(noTraffic().latency, 0.5)).toBeNull();
    expect(percentile(took(10_000_000), 0.99)).toBe(latencyBounds.at(-1));
  });

  it('are added up', () => {
    const one = { ...noTraffic(), requests: 2, statuses: [0, 1, 0, 1, 0], latency: took(3, 30) };
    expect(totalTraffic([one, one])).toMatchObject({
      requests: 4,
      statuses: [0, 2, 0, 2, 0],
      latency: took(3, 30, 3, 30),
    });
    expect(totalTraffic([])).toEqual(noTraffic());
  });
});
