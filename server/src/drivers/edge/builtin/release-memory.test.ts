import { afterEach, expect, it, vi } from 'vitest';
import { until } from '../../../../test/rig/until.ts';
import { releaseMemoryWhenIdle } from './release-memory.ts';

let timer: NodeJS.Timeout | undefined;
afterEach(() => {
  clearInterval(timer);
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('collects once after the start and when memory has grown, and not before the process is idle', async () => {
  // Other tests use memory and time of this process, too.
  let [bytes, utilization] = [70_000_000, 0.5];
  vi.spyOn(process.memoryUsage, 'rss').mockImplementation(() => bytes);
  const looks = vi
    .spyOn(performance, 'eventLoopUtilization')
    .mockImplementation(() => ({ idle: 0, active: 0, utilization }));
  const looked = (times: number) => {
    const before = looks.mock.calls.length;
    return until('it looked', () => looks.mock.calls.length >= before + 2 * times);
  };
  const collect = vi.fn(() => (bytes = 65_000_000));
  vi.stubGlobal('gc', collect);
  timer = releaseMemoryWhenIdle(10);
  await looked(2);
  expect(collect).not.toHaveBeenCalled();
  utilization = 0.01;
  await until('it collects after the start', () => collect.mock.calls.length === 1);
  bytes = 74_000_000;
  await looked(2);
  [bytes, utilization] = [100_000_000, 0.5];
  await looked(2);
  expect(collect.mock.calls.length).toBe(1);
  utilization = 0.01;
  await until('it collects after a load', () => collect.mock.calls.length === 2);
  await looked(3);
  expect(collect.mock.calls.length).toBe(2);
});
