import { setTimeout as sleep } from 'node:timers/promises';

const patienceMs = 2000;

type Options = {
  everyMs: number;
  round: () => Promise<unknown>;
  warn: (message: string) => void;
};

/** Runs a task periodically and on request, one round at a time. Reports each problem once. */
export class PeriodicTask {
  readonly #options: Options;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isWanted = false;
  #complaint: string | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Runs the first round after the delay. */
  start(delayMs = 0): void {
    const { everyMs } = this.#options;
    if (!delayMs) return this.#repeat(everyMs);
    this.#timer = setTimeout(() => this.#repeat(everyMs), delayMs);
  }

  #repeat(everyMs: number): void {
    this.#timer = setInterval(() => this.soon(), everyMs);
    this.soon();
  }

  /** Requests a round. Does nothing before `start` and after `stop`. */
  soon(): void {
    if (!this.#timer) return;
    this.#isWanted = true;
    this.#round ??= this.#all().finally(() => (this.#round = undefined));
  }

  /** Stops and waits for the current round, but not forever, because it may wait for others. */
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
