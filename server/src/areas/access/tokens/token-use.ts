import type { Db } from '../../../db/database.ts';
import { updateLastUses } from './store.ts';

const flushMs = 30_000;

/** Buffers the last use of tokens and writes it periodically, so that requests need no write. */
export class TokenUse {
  readonly #db: Db;
  #uses = new Map<string, number>();
  readonly #warn: (message: string) => void;
  readonly #timer: NodeJS.Timeout;

  constructor(db: Db, warn: (message: string) => void) {
    this.#db = db;
    this.#warn = warn;
    this.#timer = setInterval(() => void this.#flush(), flushMs).unref();
  }

  note(tokenId: string): void {
    this.#uses.set(tokenId, Date.now());
  }

  /** Best effort: a failure is logged, and the next use is recorded again. */
  async #flush(): Promise<void> {
    if (!this.#uses.size) return;
    const uses = this.#uses;
    this.#uses = new Map();
    await updateLastUses(this.#db, uses).catch((error: Error) =>
      this.#warn(`could not save when tokens were last used: ${error.message}`),
    );
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flush();
  }
}
