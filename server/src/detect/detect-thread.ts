// Worker thread of the detection: hostile files block only this thread.
import { parentPort } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import type { Detection } from './detect.ts';
import { folderTree } from './folder-tree.ts';
import { detect } from './index.ts';

export type DetectQuestion = { folder: string; rootDirectory: string };
/** `refused` is a user-facing error; any other error ends the thread. */
export type DetectAnswer = { app: Detection } | { refused: string };

async function answerTo({ folder, rootDirectory }: DetectQuestion): Promise<DetectAnswer> {
  try {
    return { app: await detect(folderTree(folder), rootDirectory) };
  } catch (error) {
    if (error instanceof AppError) return { refused: error.message };
    throw error;
  }
}

parentPort?.on('message', (question: DetectQuestion) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  void answerTo(question).then((answer) => parentPort!.postMessage(answer));
});
