import { type StorageCallOptions, StorageError, type Swept } from './storage.ts';

/** Longer than any put takes: five terabytes over a slow line and back. */
const usualAgeMs = 7 * 24 * 3_600_000;
/** So many names are looked at in one sweep, and so many things are removed. */
const mostNames = 50_000;
const mostRemoved = 1_000;

type SweepOptions = StorageCallOptions & { olderThanMs?: number };
/** What went wrong with something, as an error for a person. */
type InWords = (error: unknown, what: string) => unknown;

/** Keeps count of a sweep, and of what goes wrong in it. */
export class Sweep {
  readonly swept: Swept = { removed: [], problems: [] };
  readonly #signal: AbortSignal;
  readonly #olderThanMs: number;
  readonly #inWords: InWords;
  #looked = 0;

  constructor({ signal, olderThanMs = usualAgeMs }: SweepOptions, inWords: InWords) {
    this.#signal = signal;
    this.#olderThanMs = olderThanMs;
    this.#inWords = inWords;
  }

  /** Whether to go on to the next name. */
  goesOn(): boolean {
    if (++this.#looked > mostNames) return this.#stop(`only the first ${mostNames} names were looked at`);
    if (this.swept.removed.length >= mostRemoved) return this.#stop(`only ${mostRemoved} were removed; there are more`);
    return !this.#signal.aborted || this.#stop('there was no time for more');
  }

  /** By the target's own clock, which may be far from ours. */
  isOld = (modifiedAt: number | null, now: number): boolean =>
    modifiedAt !== null && now - modifiedAt > this.#olderThanMs;

  /** What fails is told; the rest is swept all the same. */
  async attempt(what: string, task: () => Promise<unknown>): Promise<void> {
    try {
      await task();
    } catch (error) {
      const said = this.#inWords(error, what);
      if (this.#signal.aborted) this.#stop('there was no time for more');
      else if (!(said instanceof StorageError)) throw said;
      // Somebody else took it away, which is just as well.
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
    // One sentence for each kind of trouble, however many files have it.
    if (this.swept.problems.length < 10 && !this.swept.problems.includes(problem)) this.swept.problems.push(problem);
  }
}
