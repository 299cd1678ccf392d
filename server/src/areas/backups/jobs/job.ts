import { type DatabaseKind, type Db, inTransaction } from '../../../db/database.ts';
import { appendEvents, type EventLog, LostLeaseError } from '../../../events/event-log.ts';
import { Lease } from '../../../events/lease.ts';
import type { Log } from '../../../lib/log.ts';
import { recordRun } from '../policies/record-run.ts';
import {
  type JobFailure,
  type JobRow,
  type JobState,
  jobEvents,
  renewJob,
  jobStateOf,
  updateHeldJob,
} from './store.ts';

const progressMs = 500;

type Deps = { db: Db; kind: DatabaseKind; events: EventLog; log: Log };

/** A backup or restore that this process holds: its lease, what it says, and what it has done. */
export class Job {
  readonly row: JobRow;
  readonly state: JobState;
  readonly #deps: Deps;
  readonly #lease: Lease;
  #phase = '';
  #bytesDone = 0;
  #bytesTotal: number | null = null;
  #toldAt = 0;
  #telling: NodeJS.Timeout | undefined;

  constructor(deps: Deps, row: JobRow, stopping: AbortSignal) {
    this.row = row;
    this.#deps = deps;
    this.state = jobStateOf(row);
    this.#lease = new Lease({
      what: `${row.kind} ${row.id}`,
      renew: () => renewJob(deps.db, deps.kind, row),
      stopping,
      warn: (message) => deps.log.warn(message),
    });
  }

  get signal(): AbortSignal {
    return this.#lease.signal;
  }

  /** Whether another process has worked on it before. */
  get isResumed(): boolean {
    return this.row.fence > 1;
  }

  /** Throws if the work must end. */
  check = (): Promise<void> => this.#lease.check();

  /** Throws only if another worker has taken over. */
  requireHeld = (): Promise<void> => this.#lease.requireHeld();

  wake(): void {
    this.#lease.beat().catch((error: Error) => this.#deps.log.warn(`heartbeat of ${this.row.id}: ${error.message}`));
  }

  say = (line: string, level: 'info' | 'warn' | 'error' = 'info'): void =>
    this.#deps.events.add(this.row.id, this.row.fence, 'log', { line, level });

  /** Begins a phase, whose bytes are counted from zero. */
  async phase(phase: string, bytesTotal: number | null, status: 'running' | 'verifying' = 'running'): Promise<void> {
    [this.#phase, this.#bytesDone, this.#bytesTotal] = [phase, 0, bytesTotal];
    if (this.row.status !== status) {
      this.row.status = status;
      this.#deps.events.add(this.row.id, this.row.fence, 'status', { status });
    }
    await this.#write({ status, progress: this.#progress() });
    this.#tell();
  }

  /** Counts bytes. Reports and stores the count a few times per second at most, and the last one before a pause. */
  count = (bytes: number): void => {
    this.#bytesDone += bytes;
    this.#telling ??= setTimeout(
      () => {
        this.#telling = undefined;
        this.#tell();
        // Lost progress is replaced by the next one.
        this.#write({ progress: this.#progress() }).catch(() => {});
      },
      this.#toldAt + progressMs - Date.now(),
    );
  };

  /** Records what is done. */
  async save(change: Partial<JobState>): Promise<void> {
    Object.assign(this.state, change);
    await this.#write({ state: JSON.stringify(this.state), progress: this.#progress() });
  }

  /** Ends the job with its last events. */
  async finish(status: 'completed' | 'failed' | 'cancelled', error: JobFailure | null): Promise<void> {
    const { db, events } = this.#deps;
    clearTimeout(this.#telling);
    this.#tell();
    if (error) this.say(error.message, 'error');
    await events.flush(this.row.id);
    const over = { finishedAt: Date.now(), leaseOwner: null, leaseUntil: null, progress: this.#progress() };
    await inTransaction(db, async (trx) => {
      if (!(await updateHeldJob(trx, this.row, { status, error: error && JSON.stringify(error), ...over })))
        throw new LostLeaseError(`${this.row.kind} ${this.row.id} was taken over`);
      await recordRun(trx, { ...this.row, status, finishedAt: over.finishedAt }, error);
      const at = Date.now();
      const last = (['status', 'end'] as const).map((type) => ({ type, at, data: { status } }));
      await appendEvents(trx, this.row.id, last, this.row.fence, jobEvents);
    });
    events.tell(this.row.id);
  }

  /** Lets the next process continue at once. */
  async release(): Promise<void> {
    await updateHeldJob(this.#deps.db, this.row, { leaseUntil: 0 });
  }

  end(): void {
    clearTimeout(this.#telling);
    this.#lease.end();
    this.#deps.events.done(this.row.id);
  }

  #progress(): string {
    return JSON.stringify({ phase: this.#phase, bytesDone: this.#bytesDone, bytesTotal: this.#bytesTotal });
  }

  #tell(): void {
    this.#toldAt = Date.now();
    this.#deps.events.add(
      this.row.id,
      this.row.fence,
      'progress',
      JSON.parse(this.#progress()) as object as Record<string, unknown>,
    );
  }

  async #write(change: Partial<JobRow>): Promise<void> {
    if (!(await updateHeldJob(this.#deps.db, this.row, change)))
      throw new LostLeaseError(`${this.row.kind} ${this.row.id} was taken over`);
  }
}
