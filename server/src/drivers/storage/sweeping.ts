import { type StorageCallOptions, StorageError, type SweepResult } from './storage.ts';

/** Longer than any put takes: five terabytes over a slow connection and back. */
const usualAgeMs = 7 * 24 * 3_600_000;
/** Limits of one sweep: names checked, objects removed. */
const mostNames = 50_000;
const mostRemoved = 1_000;

type SweepOptions = StorageCallOptions & { olderThanMs?: number };
/** Converts an error for the user. */
type InWords = (error: unknown, what: string) => unknown;

/** Tracks the progress and problems of a sweep. */
export class Sweep {
  readonly swept: SweepResult = { removed: [], problems: [] };
  readonly #signal: AbortSignal;
  readonly #olderThanMs: number;
  readonly #inWords: InWords;
  #looked = 0;

  constructor({ signal, olderThanMs = usualAgeMs }: SweepOptions, inWords: InWords) {
    this.#signal = signal;
    this.#olderThanMs = olderThanMs;
    this.#inWords = inWords;
  }

  /** Whether to continue with the next name. */
  goesOn(): boolean {
    if (++this.#looked > mostNames) return this.#stop(`only the first ${mostNames} names were checked`);
    if (this.swept.removed.length >= mostRemoved) return this.#stop(`only ${mostRemoved} were removed; there are more`);
    return !this.#signal.aborted || this.#stop('the time ran out');
  }

  /** Uses the destination's clock, which may differ from ours. */
  isOld = (modifiedAt: number | null, now: number): boolean =>
    modifiedAt !== null && now - modifiedAt > this.#olderThanMs;

  /** Records a failure and continues. */
  async attempt(what: string, task: () => Promise<unknown>): Promise<void> {
    try {
      await task();
    } catch (error) {
      const said = this.#inWords(error, what);
      if (this.#signal.aborted) this.#stop('the time ran out');
      else if (!(said instanceof StorageError)) throw said;
      // Already removed by another process.
      else if (said.code !== 'not_found') this.#say(said.message);
    }
  }

  removed(key: string): void {
    this.swept.removed.push(key);
  }

  #stop(why: string): false {
    this.#say(why);
    return false;
  }

  #say(problem: string): void {
    // One message per kind of problem, however many files have it.
    if (this.swept.problems.length < 10 && !this.swept.problems.includes(problem)) this.swept.problems.push(problem);
  }
}
