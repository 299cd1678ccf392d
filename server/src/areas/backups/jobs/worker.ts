import { type DatabaseKind, type Db, isUnavailable } from '../../../db/database.ts';
import { StorageError } from '../../../drivers/storage/storage.ts';
import { AppError } from '../../../errors.ts';
import { type EventLog, LostLeaseError } from '../../../events/event-log.ts';
import { CancelledError, StoppingError } from '../../../events/lease.ts';
import type { Log } from '../../../lib/log.ts';
import { PeriodicTask } from '../../../lib/periodic-task.ts';
import { BackupError } from '../sources/source.ts';
import { Job } from './job.ts';
import { claimJob, type JobFailure, type JobRow } from './store.ts';

const pollMs = 5_000;
const atOnce = 2;

type Deps = {
  db: Db;
  kind: DatabaseKind;
  events: EventLog;
  log: Log;
  owner: string;
  /** Does the work; throws if it fails. */
  run: (job: Job) => Promise<void>;
  /** Cleans up after a job that failed or was cancelled. */
  undo: (job: Job) => Promise<void>;
  /** Called when a job has ended. */
  ended: (row: JobRow, status: JobRow['status']) => Promise<void>;
};

/** Claims backups and restores, and runs each under its own lease. */
export class JobWorker {
  readonly #deps: Deps;
  readonly #running = new Map<string, { job: Job; done: Promise<void> }>();
  readonly #stopping = new AbortController();
  readonly #rounds: PeriodicTask;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#rounds = new PeriodicTask({
      everyMs: pollMs,
      round: () => this.#takeAll(),
      warn: (message) => deps.log.warn(`backups: ${message}`),
    });
  }

  start(): void {
    this.#rounds.start();
  }

  look(): void {
    this.#rounds.soon();
  }

  /** Tells a job on this replica to check for a cancel request. */
  wake(id: string): void {
    this.#running.get(id)?.job.wake();
  }

  /** Leaves unfinished jobs for the next process. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#rounds.stop();
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  async #takeAll(): Promise<void> {
    while (this.#running.size < atOnce && !this.#stopping.signal.aborted) {
      const { db, kind, owner } = this.#deps;
      const row = await claimJob(db, kind, owner, [...this.#running.keys()]);
      if (!row) return;
      const job = new Job(this.#deps, row, this.#stopping.signal);
      const done = this.#run(job)
        .catch((error: Error) => this.#deps.log.error({ err: error }, `${row.kind} ${row.id}`))
        .finally(() => {
          job.end();
          this.#running.delete(row.id);
          this.look();
        });
      this.#running.set(row.id, { job, done });
    }
  }

  async #run(job: Job): Promise<void> {
    const { log, run, ended } = this.#deps;
    try {
      await job.check();
      await run(job);
      await job.finish('completed', null);
    } catch (error) {
      // After an abort, the abort is the reason for any failure.
      const reason: unknown = job.signal.aborted ? job.signal.reason : error;
      if (reason instanceof StoppingError) return job.release();
      return this.#end(job, reason).catch((problem: unknown) => {
        if (problem instanceof LostLeaseError) return;
        if (!isUnavailable(problem)) throw problem;
        // The lease expires, and the job is resumed.
        log.warn(`${job.row.kind} ${job.row.id} waits for the database: ${(problem as Error).message}`);
      });
    }
    // A completed job is never undone, even if this fails.
    await ended(job.row, 'completed');
  }

  /** Ends a job that failed or was cancelled. */
  async #end(job: Job, reason: unknown): Promise<void> {
    const { log, undo, ended } = this.#deps;
    if (reason instanceof LostLeaseError || isUnavailable(reason)) throw reason;
    // This process may have stood still for so long that another one has taken over. Undoing would destroy its work.
    await job.requireHeld();
    const isCancelled = reason instanceof CancelledError;
    const status = isCancelled ? 'cancelled' : 'failed';
    const failure = isCancelled ? null : failureOf(reason as Error);
    if (failure?.code === 'internal') log.error({ err: reason }, `${job.row.kind} ${job.row.id} failed`);
    const problem = await undo(job).then(
      () => undefined,
      (error: Error) => error,
    );
    // The next process repeats the job, and undoes it if it fails again.
    if (problem && this.#stopping.signal.aborted) return job.release();
    if (problem) job.say(`Not everything was cleaned up: ${problem.message}`, 'warn');
    await job.finish(status, failure);
    await ended(job.row, status);
  }
}

function failureOf(error: Error): JobFailure {
  const { message } = error;
  if (error instanceof BackupError) return { code: error.code, message, hint: error.hint };
  if (error instanceof StorageError)
    return { code: error.code, message, hint: 'Test the destination: mooring destination test.' };
  if (error instanceof AppError) return { code: error.code, message, hint: 'Try again.' };
  return { code: 'internal', message: `Mooring failed: ${message}`, hint: 'Check the log of Mooring.' };
}
