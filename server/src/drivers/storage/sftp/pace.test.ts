import { expect, it } from 'vitest';
import { ReadAheadPace } from './pace.ts';

it('reads further ahead on a long route, but not when a nearby server is busy', async () => {
  const pace = new ReadAheadPace();
  const few = pace.ahead;
  pace.answered(80);
  const many = pace.ahead;
  expect(many).toBeGreaterThan(few);
  pace.answered(60);
  expect(pace.ahead).toBe(many);
  // The earlier responses were queued: this one shows the real distance.
  expect(await pace.timed(async () => 'at once')).toBe('at once');
  pace.answered(500);
  expect(pace.ahead).toBe(few);
});
