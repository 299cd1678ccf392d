/** How an attempt ended without a response. */
export interface AttemptFailure {
  /** The connection was established, so bytes of the request may have arrived. */
  connected: boolean;
  /** The connection was reused; the app may close an idle one at any time. */
  reused: boolean;
  /** Why the edge itself ended the attempt. `slow`: the app accepted the request and timed out; a retry would only add
   * load. `silent`: nothing at the app's address responds, not even its system. */
  cause: FailureCause | null;
}

export type FailureCause = 'slow' | 'silent';

const giveUpAfterMs = 3000;
const firstPauseMs = 20;
const longestPauseMs = 250;
const mostReplays = 2;

/** Decides whether a request is retried. Covers the moment of a switch-over and an app that restarts. */
export class Retries {
  readonly #repeatable: boolean;
  #giveUpAt: number;
  #pauseMs = firstPauseMs;
  #replays = 0;
  #reusedOnce = false;

  /** `since`: `performance.now()` of the first attempt. */
  constructor(repeatable: boolean, since: number) {
    this.#repeatable = repeatable;
    this.#giveUpAt = since + giveUpAfterMs;
  }

  /** Resets the deadline after time that was not spent waiting for the app. */
  renew(since: number): void {
    this.#giveUpAt = since + giveUpAfterMs;
    this.#pauseMs = firstPauseMs;
  }

  /** Returns the milliseconds to wait before the next attempt, or null for none. With `isElsewhere` it goes to
   * another replica. */
  pauseAfter({ connected, reused, cause }: AttemptFailure, isElsewhere = false): number | null {
    if (cause === 'slow' || (connected && !this.#repeatable)) return null;
    if (connected && reused && !this.#reusedOnce) {
      this.#reusedOnce = true;
      return 0;
    }
    // A request that crashes the app must not crash it for three seconds in a row.
    if (connected && ++this.#replays > mostReplays) return null;
    if (isElsewhere) return 0;
    const pause = this.#pauseMs;
    this.#pauseMs = Math.min(pause * 2, longestPauseMs);
    return performance.now() + pause > this.#giveUpAt ? null : pause;
  }
}

const mostWaiting = 2000;
let waiting = 0;

/** Calls `then` after a pause. Returns false when too many requests wait already: an app that is down must not fill
 * the memory. */
export function pauseThen(ms: number, then: () => void): boolean {
  if (waiting >= mostWaiting) return false;
  waiting++;
  setTimeout(() => {
    waiting--;
    then();
  }, ms);
  return true;
}
