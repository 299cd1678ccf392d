import { expect, test } from 'vitest';
import { formatBytes } from './format-bytes.ts';

test('formatBytes rounds before it chooses the unit', () => {
  const shown = [0, 812, 2700, 999_949, 999_950, 3_100_000, 1.2e9, 8e12, 1.5e15].map(formatBytes);
  expect(shown).toEqual(['0 B', '812 B', '2.7 kB', '999.9 kB', '1.0 MB', '3.1 MB', '1.2 GB', '8.0 TB', '1500.0 TB']);
});
