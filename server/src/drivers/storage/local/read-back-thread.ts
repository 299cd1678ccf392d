// A thread that reads back a growing file up to the announced position and reports its digest.
import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { ObjectDigest } from '../verify.ts';

/** How much of the file is on disk, or that it is complete. */
export type FlushedProgress = { upTo: number } | { isWhole: true };
export type ReadBackResult = { digest: ObjectDigest } | { error: NodeJS.ErrnoException };

const { fd } = workerData as { fd: number };
const hash = createHash('sha256');
const block = Buffer.allocUnsafeSlow(1024 * 1024);
let at = 0;

function read(upTo: number): void {
  while (at < upTo) {
    const bytes = readSync(fd, block, 0, Math.min(block.length, upTo - at), at);
    if (!bytes) return;
    hash.update(block.subarray(0, bytes));
    at += bytes;
  }
}

function answer(told: FlushedProgress): ReadBackResult | undefined {
  try {
    read('upTo' in told ? told.upTo : Infinity);
    return 'upTo' in told ? undefined : { digest: { bytes: at, sha256: hash.digest('hex') } };
  } catch (error) {
    return { error: error as NodeJS.ErrnoException };
  }
}

parentPort?.on('message', (told: FlushedProgress) => {
  const found = answer(told);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  if (found) parentPort!.postMessage(found);
});
