import { afterEach, describe, expect, it, vi } from 'vitest';
import { challengeResponseFor, withChallengeResponse } from './challenge-responses.ts';

describe('stored challenge responses', () => {
  afterEach(() => void vi.useRealTimers());

  it('expire after an hour, and the oldest are dropped above the limit', () => {
    vi.useFakeTimers();
    let given = withChallengeResponse({}, 'old', 'text');
    expect(challengeResponseFor(given, 'old')?.toString()).toBe('text');
    expect(challengeResponseFor(given, 'toString')).toBeNull();
    vi.advanceTimersByTime(3_599_000);
    expect(challengeResponseFor(given, 'old')).not.toBeNull();
    vi.advanceTimersByTime(2000);
    expect(challengeResponseFor(given, 'old')).toBeNull();
    given = withChallengeResponse(given, 'other', 'text');
    expect(Object.keys(given)).toEqual(['other']);
    for (let i = 0; i < 1000; i++) given = withChallengeResponse(given, `t${i}-`, 'text');
    expect(Object.keys(given)).toHaveLength(1000);
    expect(challengeResponseFor(given, 'other')).toBeNull();
    expect(challengeResponseFor(given, 't999-')).not.toBeNull();
  });
});
