import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { until } from './until.ts';

/** Returns the command lines of all processes that ran during the task, except that of the test. */
export async function commandLinesDuring(task: () => Promise<unknown>): Promise<string[]> {
  const over = new Int32Array(new SharedArrayBuffer(8));
  const thread = join(import.meta.dirname, 'process-list-thread.ts');
  const worker = new Worker(thread, { workerData: { over, self: process.pid } });
  const seen = once(worker, 'message') as Promise<[string[]]>;
  // Without a listener the error of the thread would end the test run; `seen` reports it.
  seen.catch(() => {});
  try {
    await until('the processes are watched', () => Atomics.load(over, 1) === 1);
    await task();
  } finally {
    Atomics.store(over, 0, 1);
    Atomics.notify(over, 0);
  }
  return (await seen)[0];
}
