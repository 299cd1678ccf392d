import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** The data folder of the service to kill, and the moment in a deployment: within a step, or between two steps. */
export type Shot = {
  dataDir: string;
  id: string;
  step: string;
  when: 'running' | 'done';
  /** An additional delay, to get further into the step. */
  delayMs?: number;
  withinMs?: number;
};

export interface Sniper {
  /** Resolves once it is watching. */
  ready: Promise<void>;
  /** Resolves when the service was killed, rejects when the moment does not come. */
  shot: Promise<void>;
}

/** Kills the service of the folder at that moment. The service may start later. */
export function killAt(shot: Shot): Sniper {
  const looks = new Int32Array(new SharedArrayBuffer(4));
  const thread = join(import.meta.dirname, 'sniper-thread.ts');
  const worker = new Worker(thread, { workerData: { delayMs: 0, withinMs: 30_000, looks, ...shot } });
  const ready = Atomics.waitAsync(looks, 0, 0).value;
  return {
    ready: Promise.resolve(ready).then(() => undefined),
    shot: new Promise((resolve, reject) => {
      worker.once('error', reject);
      worker.once('exit', (code) => code === 0 && resolve());
    }),
  };
}
