/** Few long pauses cost less than many short ones. */
const pauseMs = 50;

/** How much output is recorded in a second, for all containers together. The service answers requests in the same process:
 * an app that writes without end must not slow that down. It is then recorded late, and what the engine drops meanwhile
 * is missing. */
export class LogPace {
  readonly #perMs: number;
  readonly #burst: number;
  readonly #now: () => number;
  #left: number;
  #at: number;

  constructor(linesPerSecond = 10_000, burst = 20_000, now: () => number = () => performance.now()) {
    [this.#perMs, this.#burst, this.#now] = [linesPerSecond / 1000, burst, now];
    [this.#left, this.#at] = [burst, now()];
  }

  /** Counts a line; gives how long to wait before the next one. */
  count(): number {
    const now = this.#now();
    this.#left = Math.min(this.#burst, this.#left + (now - this.#at) * this.#perMs) - 1;
    this.#at = now;
    return this.#left >= 0 ? 0 : pauseMs;
  }
}
