import { expect, it } from 'vitest';
import { newId } from './ids.ts';

it('has a prefix, sorts by time and is unique', () => {
  const early = newId('dep', 1_700_000_000_000);
  const late = newId('dep', 1_700_000_000_001);
  expect(early).toMatch(/^dep_[0-9a-z]{26}$/);
  expect(early < late).toBe(true);
  expect(new Set(Array.from({ length: 10_000 }, () => newId('dep', 1))).size).toBe(10_000);
});
