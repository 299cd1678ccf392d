import type { Db } from '../../../db/database.ts';
import { updateLastUses } from './store.ts';

const flushMs = 30_000;

/** Remembers when tokens were used and writes it now and then, so that reading costs no write. */
export class TokenUse {
  readonly #db: Db;
  #uses = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(db: Db, warn: (message: string) => void) {
    this.#db = db;
    this.#timer = setInterval(() => {
      this.flush().catch((error: Error) => warn(`the last use of tokens was not saved: ${error.message}`));
    }, flushMs).unref();
  }

  note(tokenId: string): void {
    this.#uses.set(tokenId, Date.now());
  }

  async flush(): Promise<void> {
    if (!this.#uses.size) return;
    const uses = this.#uses;
    this.#uses = new Map();
    await updateLastUses(this.#db, uses);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}
