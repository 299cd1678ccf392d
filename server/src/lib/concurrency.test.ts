import { expect, it } from 'vitest';
import { limitConcurrency } from './concurrency.ts';

it('lets whoever gives up leave the queue, and nobody loses a turn by it', async () => {
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
