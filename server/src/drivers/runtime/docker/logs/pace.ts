/** A few long pauses cost less than many short ones. */
const pauseMs = 50;

/** Limits the output recorded per second, for all containers together. The service handles requests in the same
 * process, so an app that logs without end must not slow it down. Its output is then recorded late, and lines that
 * the engine drops meanwhile are missing. */
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

  /** Counts a line; returns how long to wait before the next one. */
  count(): number {
    const now = this.#now();
    this.#left = Math.min(this.#burst, this.#left + (now - this.#at) * this.#perMs) - 1;
    this.#at = now;
    return this.#left >= 0 ? 0 : pauseMs;
  }
}
