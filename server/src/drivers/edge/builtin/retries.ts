/** How an attempt to reach an app ended without an answer. */
export interface AttemptFailure {
  /** The connection stood, so bytes of the request may have arrived. */
  connected: boolean;
  /** It was one of earlier requests, which the app may close at any time. */
  reused: boolean;
  /** The app was reached and did not answer in time; asking again would only make it worse. */
  tooSlow: boolean;
}

const giveUpAfterMs = 3000;
const firstPauseMs = 20;
const longestPauseMs = 250;
const mostReplays = 2;

/** Decides whether a request is sent again. Covers the moment of a switch-over and an app that restarts. */
export class Retries {
  readonly #repeatable: boolean;
  #giveUpAt = Date.now() + giveUpAfterMs;
  #pauseMs = firstPauseMs;
  #replays = 0;
  #reusedOnce = false;

  constructor(repeatable: boolean) {
    this.#repeatable = repeatable;
  }

  /** The time until now was not the app's. */
  renew(): void {
    this.#giveUpAt = Date.now() + giveUpAfterMs;
    this.#pauseMs = firstPauseMs;
  }

  /** Milliseconds to wait before the next attempt; null for none. With `isElsewhere` that goes to another replica. */
  pauseAfter({ connected, reused, tooSlow }: AttemptFailure, isElsewhere = false): number | null {
    if (tooSlow || (connected && !this.#repeatable)) return null;
    if (connected && reused && !this.#reusedOnce) {
      this.#reusedOnce = true;
      return 0;
    }
    // A request that makes the app fall over must not do so for three seconds on end.
    if (connected && ++this.#replays > mostReplays) return null;
    if (isElsewhere) return 0;
    const pause = this.#pauseMs;
    this.#pauseMs = Math.min(pause * 2, longestPauseMs);
    return Date.now() + pause > this.#giveUpAt ? null : pause;
  }
}
