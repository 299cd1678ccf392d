import type { Db } from '../../db/database.ts';
import { deleteSignInsBefore } from './connections/sign-in-store.ts';
import type { CloneTokens } from './repositories/clone-tokens.ts';

const everyMs = 60_000;
/** The outcome of a sign-in can be polled for a while. */
const keptMs = 3_600_000;

type Options = { db: Db; cloneTokens: CloneTokens; warn: (message: string) => void };

/** Revokes expired clone tokens and deletes old sign-ins. Runs on every replica. */
export class GitHostHousekeeping {
  readonly #options: Options;
  readonly #timer: NodeJS.Timeout;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: Options) {
    this.#options = options;
    this.#timer = setInterval(() => {
      this.#running = this.run().catch((error: Error) => options.warn(`cleanup failed: ${error.message}`));
    }, everyMs).unref();
  }

  async run(now = Date.now()): Promise<void> {
    await this.#options.cloneTokens.endDue(now, this.#stopping.signal);
    await deleteSignInsBefore(this.#options.db, now - keptMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#running;
  }
}
