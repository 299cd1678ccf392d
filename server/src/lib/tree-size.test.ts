import { expect, it } from 'vitest';
import { formatBytes } from './tree-size.ts';

it('shows sizes in B, kB, MB and GB', () => {
  expect([999, 2711, 3_000_006, 1.25e9].map(formatBytes)).toEqual(['999 B', '2.7 kB', '3.0 MB', '1.3 GB']);
});
