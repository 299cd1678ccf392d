import { expect, it } from 'vitest';
import type { ContainerHealthcheck } from '../../runtime.ts';
import { healthcheckOf } from './health-checks.ts';

const always: ContainerHealthcheck = { command: ['true'], intervalMs: 0, timeoutMs: 0, retries: 0, startPeriodMs: 0 };
const check = (change: Partial<ContainerHealthcheck> = {}): ContainerHealthcheck => ({ ...always, ...change });
const image = (Healthcheck?: { Test?: string[]; Interval?: number; StartInterval?: number }) => ({
  Id: 'sha256:1',
  Config: Healthcheck ? { Healthcheck } : null,
});
const none = { Healthcheck: { Test: ['NONE'] } };

it('never passes an empty command, which crashes some engines', () => {
  expect(healthcheckOf({}, image({ Test: ['CMD'] }))).toEqual(none);
  expect(healthcheckOf({ healthcheck: check({ command: [] }) }, image({ Test: ['CMD'] }))).toEqual(none);
  for (const own of [image(), image({ Test: ['CMD', 'true'] }), image({ Test: ['NONE'] })])
    expect(healthcheckOf({ healthcheck: check({ command: [], intervalMs: 5 }) }, own)).toMatchObject({
      Healthcheck: { Test: [], Interval: 5e6 },
    });
});

it('leaves unspecified settings to the image', () => {
  expect(healthcheckOf({}, image({ Test: ['CMD', 'true'], Interval: 1e6 }))).toEqual({});
  expect(healthcheckOf({ healthcheck: null }, image({ Test: ['CMD', 'true'] }))).toEqual(none);
  expect(healthcheckOf({ healthcheck: check() }, image())).toMatchObject({ Healthcheck: { Test: ['CMD', 'true'] } });
});

it('enforces a minimum interval on a shared engine', () => {
  const shared = { leastHealthIntervalMs: 1000 };
  const seldom = { Healthcheck: { Interval: 1e9 } };
  expect(healthcheckOf({ ...shared, healthcheck: check({ intervalMs: 1 }) }, image())).toMatchObject(seldom);
  for (const Interval of [1e6, -1])
    expect(healthcheckOf(shared, image({ Test: ['CMD', 'true'], Interval }))).toEqual(seldom);
  const often = image({ Test: ['CMD', 'true'], Interval: 1e6, StartInterval: 1e6 });
  expect(healthcheckOf(shared, often)).toEqual({ Healthcheck: { Interval: 1e9, StartInterval: 1e9 } });
  expect(healthcheckOf({ ...shared, healthcheck: check({ command: [] }) }, often)).toMatchObject({
    Healthcheck: { Test: [], Interval: 1e9 },
  });
  expect(healthcheckOf(shared, image({ Test: ['CMD', 'true'], Interval: 5e9 }))).toEqual({});
  expect(healthcheckOf(shared, image({ Test: ['CMD', 'true'] }))).toEqual({});
});
