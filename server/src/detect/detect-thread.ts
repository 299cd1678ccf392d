// A thread that looks at sources: whatever files strangers make of them, only this thread is held up.
import { parentPort } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import type { Detection } from './detect.ts';
import { folderTree } from './folder-tree.ts';
import { detect } from './index.ts';
import { findWriting } from './writing.ts';

export type Question = { folder: string; rootDirectory: string; what: 'app' | 'writing' };
/** `refused` is for the person whose source it is; any other error ends the thread. */
export type Answer = { app: Detection } | { writing: string | undefined } | { refused: string };

async function answerTo({ folder, rootDirectory, what }: Question): Promise<Answer> {
  try {
    return what === 'app'
      ? { app: await detect(folderTree(folder), rootDirectory) }
      : { writing: await findWriting(folderTree(folder)) };
  } catch (error) {
    if (error instanceof AppError) return { refused: error.message };
    throw error;
  }
}

parentPort?.on('message', (question: Question) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  void answerTo(question).then((answer) => parentPort!.postMessage(answer));
});
