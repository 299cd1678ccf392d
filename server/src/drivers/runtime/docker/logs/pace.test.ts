import { expect, it } from 'vitest';
import { LogPace } from './pace.ts';

it('passes a burst of output and limits a flood to the pace', () => {
  let now = 0;
  const pace = new LogPace(1000, 500, () => now);
  for (let i = 0; i < 500; i++) expect(pace.count()).toBe(0);
  let lines = 0;
  for (; now < 10_000; lines++) now += pace.count();
  expect(lines).toBeGreaterThan(9_900);
  expect(lines).toBeLessThan(10_100);
  now += 60_000;
  for (let i = 0; i < 500; i++) expect(pace.count()).toBe(0);
  expect(pace.count()).toBeGreaterThan(0);
});
