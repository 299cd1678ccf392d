import { CancelledError, StoppingError } from '../model/model.ts';
import type { DatabaseKind, Db } from '../../../db/database.ts';
import { LostLeaseError } from '../../../events/event-log.ts';
import type { DeploymentRow } from '../model/store.ts';
import { renewLease } from '../model/queue.ts';

const heartbeatMs = 2000;

/** Holds a deployment: renews its lease and receives cancel requests and answers to prompts. */
export class Lease {
  readonly #db: Db;
  readonly #kind: DatabaseKind;
  readonly #deployment: DeploymentRow;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #answered: (answer: string) => void = () => {};

  constructor(
    db: Db,
    kind: DatabaseKind,
    deployment: DeploymentRow,
    stopping: AbortSignal,
    warn: (message: string) => void,
  ) {
    this.#db = db;
    this.#kind = kind;
    this.#deployment = deployment;
    stopping.addEventListener('abort', () => this.#abort(new StoppingError('the service is stopping')), { once: true });
    // A failed heartbeat is retried; the lease outlives several of them.
    this.#timer = setInterval(() => {
      this.beat().catch((error: Error) => warn(`heartbeat of ${deployment.id}: ${error.message}`));
    }, heartbeatMs);
  }

  /** Aborted with the reason why work must end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async beat(): Promise<void> {
    const { id, fence } = this.#deployment;
    const row = await renewLease(this.#db, this.#kind, id, fence);
    if (!row) this.#abort(new LostLeaseError(`deployment ${id} was taken over`));
    else if (row.cancelRequestedAt !== null) this.#abort(new CancelledError('cancelled'));
    else if (row.promptAnswer !== null) this.#answered(row.promptAnswer);
  }

  /** Throws only if another worker has taken over: undoing a cancelled deployment has to know just that. */
  async requireHeld(): Promise<void> {
    const { id, fence } = this.#deployment;
    if (!(await renewLease(this.#db, this.#kind, id, fence)))
      throw new LostLeaseError(`deployment ${id} was taken over`);
  }

  /** Throws the reason if work must end. */
  async check(): Promise<void> {
    await this.beat();
    this.signal.throwIfAborted();
  }

  /** Waits for the answer to the open prompt; undefined on timeout. */
  answer(withinMs: number): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      const over = setTimeout(() => resolve(undefined), withinMs);
      const done = (act: () => void) => {
        clearTimeout(over);
        act();
      };
      this.#answered = (answer) => done(() => resolve(answer));
      this.signal.addEventListener('abort', () => done(() => reject(this.signal.reason as Error)), { once: true });
    });
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #abort(reason: Error): void {
    this.#controller.abort(reason);
  }
}
