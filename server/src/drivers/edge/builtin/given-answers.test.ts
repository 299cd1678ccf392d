import { afterEach, describe, expect, it, vi } from 'vitest';
import { answerTo, withAnswer } from './given-answers.ts';

describe('stored challenge responses', () => {
  afterEach(() => void vi.useRealTimers());

  it('expire after an hour, and the oldest are dropped above the limit', () => {
    vi.useFakeTimers();
    let given = withAnswer({}, 'old', 'text');
    expect(answerTo(given, 'old')?.toString()).toBe('text');
    expect(answerTo(given, 'toString')).toBeNull();
    vi.advanceTimersByTime(3_599_000);
    expect(answerTo(given, 'old')).not.toBeNull();
    vi.advanceTimersByTime(2000);
    expect(answerTo(given, 'old')).toBeNull();
    given = withAnswer(given, 'other', 'text');
    expect(Object.keys(given)).toEqual(['other']);
    for (let i = 0; i < 1000; i++) given = withAnswer(given, `t${i}-`, 'text');
    expect(Object.keys(given)).toHaveLength(1000);
    expect(answerTo(given, 'other')).toBeNull();
    expect(answerTo(given, 't999-')).not.toBeNull();
  });
});
