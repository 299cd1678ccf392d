import { expect, it, vi } from 'vitest';
import { limitPerEventLoopTurn, limitConcurrency, limitPerKey, cachedFor } from './concurrency.ts';

it('removes an aborted task from the queue without losing a slot', async () => {
  const limited = limitConcurrency(1);
  const ends: (() => void)[] = [];
  const order: string[] = [];
  const task = (name: string) => () =>
    new Promise<void>((resolve) => {
      order.push(name);
      ends.push(resolve);
    });
  const stop = new AbortController();
  const first = limited(task('first'));
  const second = limited(task('second'), stop.signal);
  const third = limited(task('third'), new AbortController().signal);
  await expect(limited(task('late'), AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
  stop.abort(new Error('enough'));
  await expect(second).rejects.toThrow('enough');
  ends.shift()!();
  await first;
  ends.shift()!();
  await third;
  const last = limited(task('last'));
  ends.shift()!();
  await last;
  expect(order).toEqual(['first', 'third', 'last']);
});

it('limits each key separately, and rejects above the queue limit', async () => {
  const some = limitPerKey({ atOnce: 2, waiting: 1, refuse: () => new Error('too many') });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const task = (name: string) => () => {
    begun.push(name);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const running = ['a1', 'a2', 'a3'].map((name) => some('a', task(name)));
  await expect(some('a', task('a4'))).rejects.toThrow('too many');
  const other = some('b', task('b1'));
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  for (const end of ends.splice(0)) end();
  await other;
  await Promise.all(running.slice(0, 2));
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  ends[0]!();
  await Promise.all(running);
});

it('lets a few go on in each turn of the event loop, in order', async () => {
  const turn = limitPerEventLoopTurn(2);
  const gone: number[] = [];
  for (let i = 1; i <= 5; i++) void turn().then(() => gone.push(i));
  await Promise.resolve();
  expect(gone).toEqual([1, 2]);
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
  await nextTurn();
  expect(gone).toEqual([1, 2, 3, 4]);
  await nextTurn();
  expect(gone).toEqual([1, 2, 3, 4, 5]);
});

it('reads once for all callers within the age, and again after it or after a failure', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let reads = 0;
  const get = cachedFor(async () => {
    if (++reads === 3) throw new Error('away');
    return reads;
  }, 1000);
  expect(await Promise.all([get(), get()])).toEqual([1, 1]);
  vi.advanceTimersByTime(999);
  expect(await get()).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await get()).toBe(2);
  vi.advanceTimersByTime(1000);
  await expect(get()).rejects.toThrow('away');
  expect(await get()).toBe(4);
  vi.useRealTimers();
});
