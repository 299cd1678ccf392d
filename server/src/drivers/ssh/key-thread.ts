// A thread that opens one private key and exits. A passphrase deliberately takes half a second of CPU and more.
import { parentPort, workerData } from 'node:worker_threads';
import { type KeyText, openedKey } from './opened-key.ts';

/** Result: the decrypted key, or why it cannot be read. */
export type KeyAnswer = ReturnType<typeof openedKey>;

// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage(openedKey(workerData as KeyText));
