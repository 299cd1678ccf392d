// Number of blocks to read ahead. Live blocks determine how much garbage accumulates, four times as much and more: on
// a fast connection a few keep both sides busy, and more only take memory.
const nearby = 3;
const farAway = 10;
// With few blocks, a connection of this latency still carries 150 MB/s.
const farAwayMs = 5;

/** Adapts the read-ahead to the latency of the server. */
export class ReadAheadPace {
  // The fastest response shows the latency; slower ones waited for a busy server, and more requests would not help.
  #fastestMs: number | undefined;

  get ahead(): number {
    return this.#fastestMs === undefined || this.#fastestMs < farAwayMs ? nearby : farAway;
  }

  async timed<T>(ask: () => Promise<T>): Promise<T> {
    const began = performance.now();
    const answer = await ask();
    this.answered(performance.now() - began);
    return answer;
  }

  /** Records the time of a response. */
  answered(ms: number): void {
    this.#fastestMs = Math.min(this.#fastestMs ?? ms, ms);
  }
}
