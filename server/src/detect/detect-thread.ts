// A thread that looks at sources: whatever files strangers make of them, only this thread is held up.
import { parentPort } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import type { Detection } from './detect.ts';
import { folderTree } from './folder-tree.ts';
import { detect } from './index.ts';

export type DetectQuestion = { folder: string; rootDirectory: string };
/** `refused` is for the person whose source it is; any other error ends the thread. */
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
