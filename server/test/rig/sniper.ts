import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** The service of which folder to kill, and at which moment of a deployment: in the middle of a step, or between one that is done and the next. */
export type Shot = {
  dataDir: string;
  id: string;
  step: string;
  when: 'running' | 'done';
  /** Waits a little longer, to get deeper into the step. */
  delayMs?: number;
  withinMs?: number;
};

export interface Sniper {
  /** It looks by now. */
  ready: Promise<void>;
  /** Resolves when the service is killed, rejects when the moment does not come. */
  shot: Promise<void>;
}

/** Kills the service that has the folder at that very moment. It may start after us. */
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
