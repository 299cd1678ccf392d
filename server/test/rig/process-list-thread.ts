import { readdirSync, readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

// Reads the command lines of all processes in a busy loop. In a thread, because it blocks.
const { over, self } = workerData as { over: Int32Array; self: number };
const seen = new Set<string>();
do {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === self) continue;
    try {
      seen.add(readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' '));
    } catch {
      // It ended in the meantime.
    }
  }
  Atomics.store(over, 1, 1);
} while (!Atomics.wait(over, 0, 0, 1).startsWith('not-equal'));
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- not a window
parentPort!.postMessage([...seen]);
