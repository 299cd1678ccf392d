/** A time limit whose clock can be stopped. */
export class Deadline {
  readonly #over = new AbortController();
  #leftMs: number;
  #runsSince = 0;
  #pauses = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#leftMs = ms;
    this.#run();
  }

  /** Aborted when the time is up. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Stops the clock until the returned function is called, and those of all other pauses. */
  pause(): () => void {
    if (this.#pauses++ === 0) {
      clearTimeout(this.#timer);
      this.#leftMs -= performance.now() - this.#runsSince;
    }
    let isPaused = true;
    return () => {
      if (isPaused && --this.#pauses === 0) this.#run();
      isPaused = false;
    };
  }

  /** Stops the clock for good. */
  end(): void {
    this.pause();
  }

  #run(): void {
    this.#runsSince = performance.now();
    this.#timer = setTimeout(() => this.#over.abort(), Math.max(0, this.#leftMs)).unref();
  }
}
