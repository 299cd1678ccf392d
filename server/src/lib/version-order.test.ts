import { expect, it } from 'vitest';
import { compareVersions, versionPattern } from './version-order.ts';

it('orders versions as Semantic Versioning does', () => {
  const ordered = [
    '0.9.9',
    '0.10.0',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-beta',
    '1.0.0-rc.2',
    '1.0.0-rc.10',
    '1.0.0',
  ];
  expect(ordered.toReversed().toSorted(compareVersions)).toEqual(ordered);
  expect(compareVersions('1.2.3', '1.2.3')).toBe(0);
});

it.each(['1.2', 'v1.2.3', '1.2.3/../..', '1.2.3\n', '../1.2.3', '1.2.3-', 'latest', ''])('refuses %j', (text) => {
  expect(versionPattern.test(text)).toBe(false);
});
