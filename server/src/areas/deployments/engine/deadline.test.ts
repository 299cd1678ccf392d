import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Deadline } from './deadline.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('ends after its time, without the time of pauses', () => {
  const deadline = new Deadline(100);
  vi.advanceTimersByTime(60);
  const [one, two] = [deadline.pause(), deadline.pause()];
  vi.advanceTimersByTime(1000);
  one();
  one();
  vi.advanceTimersByTime(1000);
  two();
  vi.advanceTimersByTime(39);
  expect(deadline.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(deadline.signal.aborted).toBe(true);
});

it('does not end any more once it is over', () => {
  const deadline = new Deadline(100);
  const go = deadline.pause();
  deadline.end();
  go();
  vi.advanceTimersByTime(1000);
  expect(deadline.signal.aborted).toBe(false);
});

it('does not end early when the clock is set', () => {
  const deadline = new Deadline(100);
  vi.setSystemTime(Date.now() + 3_600_000);
  deadline.pause()();
  vi.advanceTimersByTime(99);
  expect(deadline.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(deadline.signal.aborted).toBe(true);
});
