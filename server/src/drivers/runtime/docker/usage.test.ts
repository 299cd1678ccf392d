import { describe, expect, it } from 'vitest';
import { usageSampleOf, usageBetween } from './usage.ts';

const base = {
  read: '2026-01-31T12:00:00.000000000Z',
  cpu_stats: { cpu_usage: { total_usage: 1_000_000_000 } },
  networks: { eth0: { rx_bytes: 10, tx_bytes: 1 }, eth1: { rx_bytes: 5, tx_bytes: 2 } },
};

describe('usage', () => {
  it('counts the same memory on cgroup v1 and v2', () => {
    // v1 has figures for the group alone and (total_) with its children; v2 has only the latter.
    const v1 = { usage: 100_000, stats: { cache: 40_000, inactive_file: 1, total_inactive_file: 30_000 } };
    const v2 = { usage: 100_000, stats: { file: 40_000, inactive_file: 30_000, anon: 60_000 } };
    for (const memory_stats of [v1, v2])
      expect(usageSampleOf({ ...base, memory_stats })).toMatchObject({
        memoryBytes: 70_000,
        networkRxBytes: 15,
        networkTxBytes: 3,
      });
    expect(usageSampleOf({ ...base, memory_stats: {} }).memoryBytes).toBe(0);
  });

  it('measures CPU between two readings', () => {
    const first = usageSampleOf({ ...base, memory_stats: {} });
    const second = { ...first, atMs: first.atMs + 500, cpuNanoseconds: first.cpuNanoseconds + 750_000_000 };
    expect(usageBetween(first, second, null)).toMatchObject({ cpuPercent: 150, memoryLimitBytes: null });
    const restarted = { ...second, cpuNanoseconds: 5 };
    expect(usageBetween(first, restarted, 64).cpuPercent).toBe(0);
    expect(usageBetween(first, first, 64).cpuPercent).toBe(0);
  });
});
