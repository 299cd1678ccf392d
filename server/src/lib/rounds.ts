import { setTimeout as sleep } from 'node:timers/promises';

const patienceMs = 2000;

type Options = {
  everyMs: number;
  round: () => Promise<unknown>;
  warn: (message: string) => void;
};

/** Does something every so often and when it is asked to, one round at a time. Each trouble is told once. */
export class Rounds {
  readonly #options: Options;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isWanted = false;
  #complaint: string | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.soon(), this.#options.everyMs);
    this.soon();
  }

  /** There is something to do. Before `start` and after `stop` nothing is begun. */
  soon(): void {
    if (!this.#timer) return;
    this.#isWanted = true;
    this.#round ??= this.#all().finally(() => (this.#round = undefined));
  }

  /** Begins nothing more, and waits for what is under way; not for ever, because it may wait for somebody else. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await Promise.race([this.#round, sleep(patienceMs, undefined, { ref: false })]);
  }

  async #all(): Promise<void> {
    while (this.#isWanted && this.#timer) {
      this.#isWanted = false;
      try {
        await this.#options.round();
        this.#complaint = undefined;
      } catch (error) {
        const { message } = error as Error;
        if (this.#complaint !== message) this.#options.warn(message);
        this.#complaint = message;
      }
    }
  }
}
