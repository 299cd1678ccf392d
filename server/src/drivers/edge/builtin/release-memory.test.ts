import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { until } from '../../../../test/rig/until.ts';
import { releaseMemoryWhenIdle } from './release-memory.ts';

let timer: NodeJS.Timeout | undefined;
afterEach(() => {
  clearInterval(timer);
  vi.unstubAllGlobals();
});

it('collects once when memory has grown, and not before the process is idle', async () => {
  const collect = vi.fn();
  vi.stubGlobal('gc', collect);
  timer = releaseMemoryWhenIdle(100);
  const kept = Buffer.alloc(60_000_000, 1);
  for (const end = performance.now() + 400; performance.now() < end;) {
    for (const turn = performance.now() + 20; performance.now() < turn;);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(collect).not.toHaveBeenCalled();
  await until('it collects', () => collect.mock.calls.length === 1, 10_000);
  await sleep(300);
  expect([collect.mock.calls.length, kept.length]).toEqual([1, 60_000_000]);
});
