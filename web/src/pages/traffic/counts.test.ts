import { expect, it } from 'vitest';
import { shareOf } from './counts.ts';

it.each([
  [0, 0, '0%'],
  [12, 100, '12%'],
  [42, 100_000, '0.042%'],
  [5905, 5913, '99.86%'],
  [99_999, 100_000, '99.99%'],
  [7, 7, '100%'],
])('the share of %i of %i is %s', (part, whole, text) => expect(shareOf(part, whole)).toBe(text));
