import type { ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { type EdgeLog, logFailure } from '../log.ts';
import { type EdgeSettings, fingerprint } from '../protocol.ts';
import type { Traffic } from '../traffic.ts';
import { type Companion, companionOver, type WorkerCall } from './companion.ts';
import { type ListeningSockets, spawnEdge } from './start.ts';
import type { FirstWorkerMessage } from './worker.ts';

/** A worker that does not respond for this long is killed: what it does with its connections is unknown. */
const silentMs = 10_000;
const firstPauseMs = 100;
const longestPauseMs = 30_000;
/** A worker that ran for this long was fine. */
const fineMs = 60_000;

/** With room for a successor and its workers. */
const bytesPerWorker = 200e6;

/** Number of serving processes that fit this machine or container: apps need the other half of the cores. */
export function usualWorkers(): number {
  const limit = process.constrainedMemory() || Infinity;
  return Math.floor(Math.max(Math.min(availableParallelism() / 2, limit / bytesPerWorker, 4), 1));
}

type Worker = Companion & {
  call: (call: WorkerCall) => Promise<number>;
  child: ChildProcess;
  /** It accepts no connections any more. */
  isLeaving: boolean;
  gone: Promise<void>;
};

type Parts = {
  settings: EdgeSettings;
  /** Path of the bundle, and the fingerprint that it had when this process started. */
  program: string;
  fingerprint: string;
  traffic: Traffic;
  sockets: () => ListeningSockets;
  /** What a new worker has to know. */
  first: () => FirstWorkerMessage;
  log: EdgeLog;
};

/** Processes that serve requests on the same listening sockets as this one. */
export class Workers {
  readonly #parts: Parts;
  readonly #all = new Set<Worker>();
  #wanted = 0;
  #pauseMs = firstPauseMs;
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Those that still serve connections. */
  get all(): Companion[] {
    return [...this.#all];
  }

  /** `count`: number of processes, with this one. */
  async use(count: number): Promise<void> {
    this.#wanted = Math.max(count - 1, 0);
    const tooMany = this.#serving().slice(this.#wanted);
    await Promise.all(tooMany.map((worker) => this.#leave(worker)));
    this.#fill();
  }

  /** Replaces all workers, because the listening sockets have changed. */
  async renew(): Promise<void> {
    await Promise.all(this.#serving().map((worker) => this.#leave(worker)));
    this.#fill();
  }

  async tell(call: WorkerCall): Promise<void> {
    await Promise.all([...this.#all].map((worker) => worker.call(call)));
  }

  /** Starts no more workers and lets the running ones leave. Resolves when all have exited. */
  async leave(how: 'leave' | 'end'): Promise<void> {
    this.#wanted = 0;
    if (this.#timer) clearTimeout(this.#timer);
    const all = [...this.#all];
    for (const worker of all) worker.isLeaving = true;
    await this.tell({ type: how });
    await Promise.all(all.map(({ gone }) => gone));
  }

  #serving(): Worker[] {
    return [...this.#all].filter(({ isLeaving }) => !isLeaving);
  }

  async #leave(worker: Worker): Promise<void> {
    worker.isLeaving = true;
    await worker.call({ type: 'leave' });
  }

  #fill(): void {
    try {
      while (this.#serving().length < this.#wanted) this.#start();
    } catch (error) {
      logFailure(this.#parts.log, 'a worker could not be started')(error);
      this.#fillLater();
    }
  }

  #fillLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#fill();
    }, this.#pauseMs);
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs);
  }

  /** Calls that follow the first message arrive after it, so no change is missed. */
  #start(): void {
    const { settings, program, fingerprint: own, traffic, sockets, first, log } = this.#parts;
    // After an update on disk the successor starts workers.
    if (fingerprint(program) !== own) throw new Error('the program of the edge has changed');
    const child = spawnEdge({ execPath: process.execPath, program, settings }, '--worker', sockets());
    const began = performance.now();
    const onSilent = () => {
      log(`worker ${child.pid} does not respond and is killed`);
      child.kill('SIGKILL');
    };
    const companion = companionOver(child, { silentMs, onSilent });
    companion.onCounts((minutes) => traffic.counts.add(minutes));
    const gone = new Promise<void>((resolve) => {
      const onGone = (why: string) => {
        if (!this.#all.delete(worker)) return;
        resolve();
        if (worker.isLeaving) return;
        log(`worker ${child.pid} ${why}; its connections are closed`);
        if (performance.now() - began > fineMs) this.#pauseMs = firstPauseMs;
        this.#fillLater();
      };
      child.once('error', (error) => onGone(`could not be started: ${error.message}`));
      child.once('exit', (code, signal) => onGone(`exited with ${code ?? signal}`));
    });
    const worker: Worker = { ...companion, child, isLeaving: false, gone };
    this.#all.add(worker);
    child.send(first(), () => {});
  }
}
