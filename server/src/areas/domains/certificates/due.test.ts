import { describe, expect, it } from 'vitest';
import { daysUntilExpiry, retryPauseMs, renewAt } from './due.ts';

const day = 86_400_000;

describe('renewal time', () => {
  const share = (days: number, fingerprint: string) =>
    (days * day - renewAt({ fingerprint, notBefore: 0, notAfter: days * day })) / day;

  it('is 30 days or a third of the lifetime before expiry, whichever is less', () => {
    for (let i = 0; i < 200; i++) {
      expect(share(365, `f${i}`)).toBeLessThanOrEqual(30);
      expect(share(365, `f${i}`)).toBeGreaterThanOrEqual(27);
      expect(share(6, `f${i}`)).toBeLessThanOrEqual(2);
      expect(share(6, `f${i}`)).toBeGreaterThanOrEqual(1.8);
    }
  });

  it('is spread over certificates, but the same on every replica', () => {
    const all = Array.from({ length: 100 }, (_, i) => share(90, `f${i}`));
    expect(new Set(all.map((each) => Math.floor((each - 27) * 4))).size).toBeGreaterThan(8);
    expect(share(90, 'f1')).toBe(all[1]);
  });
});

describe('pause after a failure', () => {
  it('is a minute, doubles each time, and is capped at a day', () => {
    const pause = (attempts: number, code = 'dns') => retryPauseMs(attempts, code, () => 0.5) / 60_000;
    expect([1, 2, 3, 4].map((each) => pause(each))).toEqual([1, 2, 4, 8]);
    expect(pause(12)).toBe(1440);
    expect(pause(10_000)).toBe(1440);
    expect(pause(12, 'not_pointing')).toBe(10);
    expect(retryPauseMs(1, 'dns', () => 0)).toBe(48_000);
    expect(retryPauseMs(1, 'dns', () => 0.999)).toBeLessThan(72_000);
  });
});

it('counts whole days left', () => {
  expect([daysUntilExpiry(2 * day + 5, 0), daysUntilExpiry(day - 1, 0), daysUntilExpiry(-1, 0)]).toEqual([2, 0, -1]);
});
