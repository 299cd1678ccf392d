import { setTimeout as sleep } from 'node:timers/promises';

const closingMs = 5000;

/** Token refreshes in progress: the old tokens are already invalid and the new ones not yet stored. */
export class TokenRefreshes {
  readonly #underWay = new Set<Promise<unknown>>();

  /** Ignores failures; the caller of the refresh handles them. */
  add(refresh: Promise<unknown>): void {
    const ended = refresh.then(
      () => void this.#underWay.delete(ended),
      () => void this.#underWay.delete(ended),
    );
    this.#underWay.add(ended);
  }

  /** Resolves when all refreshes have settled, including ones started meanwhile, or after `closingMs`. */
  async settled(): Promise<void> {
    const late = new AbortController();
    const tooLate = sleep(closingMs, 'late', { ref: false, signal: late.signal }).catch(() => 'late');
    while (this.#underWay.size) if ((await Promise.race([Promise.all(this.#underWay), tooLate])) === 'late') break;
    late.abort();
  }
}
