import { expect, it } from 'vitest';
import { Pace } from './pace.ts';

it('reads further ahead where the way is long, and not where a near machine is busy', async () => {
  const pace = new Pace();
  const few = pace.ahead;
  pace.answered(80);
  const many = pace.ahead;
  expect(many).toBeGreaterThan(few);
  pace.answered(60);
  expect(pace.ahead).toBe(many);
  // It waited in a queue before: this is how near it is.
  expect(await pace.timed(async () => 'at once')).toBe('at once');
  pace.answered(500);
  expect(pace.ahead).toBe(few);
});
