import { LostLeaseError } from './event-log.ts';

export class CancelledError extends Error {
  override name = 'CancelledError';
}

export class StoppingError extends Error {
  override name = 'StoppingError';
}

const heartbeatMs = 2000;

/** Requests that came while the work was held. */
type Held = { cancelRequestedAt: number | null; promptAnswer?: string | null };
type Options = {
  /** For messages: `deployment dep_1`. */
  what: string;
  /** Extends the lease; undefined if another worker has taken over. */
  renew: () => Promise<Held | undefined>;
  stopping: AbortSignal;
  warn: (message: string) => void;
};

/** Holds work of a queue: renews its lease and receives cancel requests and answers to prompts. */
export class Lease {
  readonly #what: string;
  readonly #renew: Options['renew'];
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #stopping: AbortSignal;
  #answered: (answer: string) => void = () => {};

  constructor({ what, renew, stopping, warn }: Options) {
    this.#what = what;
    this.#renew = renew;
    this.#stopping = stopping;
    stopping.addEventListener('abort', this.#stop, { once: true });
    // The work may have been claimed meanwhile.
    if (stopping.aborted) this.#stop();
    // A failed heartbeat is retried; the lease outlives several of them.
    this.#timer = setInterval(() => {
      this.beat().catch((error: Error) => warn(`heartbeat of ${what}: ${error.message}`));
    }, heartbeatMs);
  }

  /** Aborted with the reason why work must end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async beat(): Promise<void> {
    const row = await this.#renew();
    if (!row) this.#abort(this.#lost());
    else if (row.cancelRequestedAt !== null) this.#abort(new CancelledError('cancelled'));
    else if (row.promptAnswer) this.#answered(row.promptAnswer);
  }

  /** Throws only if another worker has taken over: undoing cancelled work has to know just that. */
  async requireHeld(): Promise<void> {
    if (!(await this.#renew())) throw this.#lost();
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
    this.#stopping.removeEventListener('abort', this.#stop);
  }

  #stop = (): void => this.#abort(new StoppingError('the service is stopping'));

  #lost(): LostLeaseError {
    return new LostLeaseError(`${this.#what} was taken over`);
  }

  #abort(reason: Error): void {
    this.#controller.abort(reason);
  }
}
