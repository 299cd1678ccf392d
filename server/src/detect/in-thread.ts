import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { badRequest } from '../errors.ts';
import { limitConcurrency } from '../lib/concurrency.ts';
import type { Detection } from './detect.ts';
import type { DetectAnswer, DetectQuestion } from './detect-thread.ts';

const deadlineMs = 20_000;
const mostMegabytes = 256;
/** A thread takes 120 ms to start and 23 MB: one is kept for a while. */
const keptMs = 30_000;
// Each occupies a core.
const someAtOnce = limitConcurrency(2);
// The bundle has it as a module next to this one.
const thread = new URL(
  import.meta.filename.endsWith('.ts') ? './detect-thread.ts' : './detect-thread.js',
  import.meta.url,
);

let idle: { worker: Worker; timer: NodeJS.Timeout } | undefined;

/** Detects the app in a folder. Files that take too long only end a thread. */
export async function detectFolder(folder: string, rootDirectory = '', withinMs = deadlineMs): Promise<Detection> {
  const answer = await someAtOnce(() => askThread({ folder, rootDirectory }, withinMs));
  if ('refused' in answer) throw badRequest(answer.refused);
  return answer.app;
}

/** Starts the thread of a detection that will come in a moment. */
export function expectDetection(): void {
  if (!idle) keep(newWorker());
}

async function askThread(question: DetectQuestion, withinMs: number): Promise<DetectAnswer> {
  const worker = takeIdle() ?? newWorker();
  worker.ref();
  const answering = new AbortController();
  const { signal } = answering;
  const timer = setTimeout(() => answering.abort(tookTooLong(withinMs)), withinMs);
  try {
    const answer = once(worker, 'message', { signal }) as Promise<[DetectAnswer]>;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage(question);
    const [answered] = await answer;
    keep(worker);
    return answered;
  } catch (error) {
    await worker.terminate();
    if (signal.aborted) throw signal.reason;
    throw (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY' ? tookTooMuch() : error;
  } finally {
    clearTimeout(timer);
  }
}

function newWorker(): Worker {
  const worker = new Worker(thread, { env: {}, resourceLimits: { maxOldGenerationSizeMb: mostMegabytes } });
  // The caller gets errors as well; one of an idle thread must not end the service.
  return worker.on('error', () => {
    if (idle?.worker === worker) takeIdle();
  });
}

function takeIdle(): Worker | undefined {
  const taken = idle;
  clearTimeout(taken?.timer);
  idle = undefined;
  return taken?.worker;
}

function keep(worker: Worker): void {
  if (idle) return void worker.terminate();
  worker.unref();
  idle = { worker, timer: setTimeout(() => void takeIdle()?.terminate(), keptMs).unref() };
}

const whatToDo = 'Set rootDirectory to the folder of the app, or remove generated files from the source.';
const tookTooLong = (ms: number) =>
  badRequest(`detecting the app took longer than ${ms / 1000} s and was stopped. ${whatToDo}`);
const tookTooMuch = () =>
  badRequest(`detecting the app needed more than ${mostMegabytes} MB of memory and was stopped. ${whatToDo}`);
