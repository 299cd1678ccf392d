import type { Db } from '../../db/database.ts';
import type { Log } from '../../lib/log.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { Parts } from './parts.ts';
import { reviveActive } from './revive.ts';

const everyMs = 10_000;

type On = { db: Db; parts: Parts; sealer: Sealer; log: Log };

/** Keeps what is on this machine in step with what the database says. Whatever goes wrong is tried again. */
export class Upkeep {
  readonly #on: On;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();

  constructor(on: On) {
    this.#on = on;
  }

  /** The first round, then one every few seconds. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.#look(), everyMs);
    await this.#look();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
  }

  #look(): Promise<void> {
    const { db, parts, sealer, log } = this.#on;
    this.#round = this.#round
      .then(() => reviveActive(db, parts, sealer, log))
      .catch((error: Error) => log.warn(`looking after releases: ${error.message}`));
    return this.#round;
  }
}
