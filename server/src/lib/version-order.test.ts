import { expect, it } from 'vitest';
import { compareVersions, areComparable, versionPattern } from './version-order.ts';

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

it('knows that builds without a tag have no order', () => {
  const untagged = ['1.2.3-3f2a9c1d', '1.2.3-aaaa0000.dirty', '1.2.3'];
  for (const one of untagged)
    for (const other of untagged) expect(areComparable(one, other), `${one} ${other}`).toBe(one === other);
  expect(areComparable('1.2.3-3f2a9c1d', '1.2.4')).toBe(true);
  expect(areComparable('1.2.3-rc.1', '1.2.3')).toBe(true);
});

it.each(['1.2', 'v1.2.3', '1.2.3/../..', '1.2.3\n', '../1.2.3', '1.2.3-', 'latest', ''])('refuses %j', (text) => {
  expect(versionPattern.test(text)).toBe(false);
});
