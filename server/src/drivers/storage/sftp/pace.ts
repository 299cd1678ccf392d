// How many blocks are asked for ahead. What is alive at once decides how much garbage the collector lets lie, four times as
// much and more: on a fast line a few blocks keep both sides busy, and more would only take memory.
const nearby = 3;
const farAway = 10;
// With the few, a line that takes as long as this still carries 150 MB/s.
const farAwayMs = 5;

/** How far to read ahead of need, by how long the way to the server is. */
export class Pace {
  // The fastest answer tells the way; others have waited for a busy machine, and more questions would not help that.
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

  /** So long did an answer take. */
  answered(ms: number): void {
    this.#fastestMs = Math.min(this.#fastestMs ?? ms, ms);
  }
}
