import { describe, expect, it } from 'vitest';
import { parseBytes, parseDuration } from './units.ts';

// Results of Docker Compose 2.40.
describe('parsing sizes', () => {
  it.each([
    ['1g', 1073741824],
    ['1.5g', 1610612736],
    ['512M', 536870912],
    ['100', 100],
    ['100kb', 102400],
    ['1KiB', 1024],
    ['1e3', 1000],
    ['1t', 1099511627776],
    ['1 g', 1073741824],
    ['1.5', 1],
    ['.5g', 536870912],
    ['64b', 64],
    ['0', 0],
  ])('%s is %d bytes', (text, value) => expect(parseBytes(text)).toBe(value));

  it.each(['-1', 'abc', '', '1G i', '0x10', '1mb ', '1x', '9999999p', 'g', `${'1'.repeat(5000)}g`])(
    'rejects %.20s',
    (text) => expect(parseBytes(text)).toBeUndefined(),
  );
});

describe('parsing durations', () => {
  it.each([
    ['1m30s', 90_000],
    ['1.5s', 1500],
    ['500ms', 500],
    ['1us', 0.001],
    ['1h', 3_600_000],
    ['1d', 86_400_000],
    ['1w', 604_800_000],
    ['0', 0],
  ])('%s is %d ms', (text, value) => expect(parseDuration(text)).toBe(value));

  it.each(['90', '', '1m 30s', '-1s', 's', '1x', '1s!', '1'.repeat(5000)])('rejects %.20s', (text) =>
    expect(parseDuration(text)).toBeUndefined(),
  );
});
