// A thread that opens one private key and ends. A passphrase takes half a second of a core and more, on purpose.
import { parentPort, workerData } from 'node:worker_threads';
import { type KeyText, openedKey } from './opened-key.ts';

/** What comes back: the key in the clear, or why it cannot be read. */
export type KeyAnswer = ReturnType<typeof openedKey>;

// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage(openedKey(workerData as KeyText));
