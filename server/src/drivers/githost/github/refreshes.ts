import { setTimeout as sleep } from 'node:timers/promises';

const closingMs = 5000;

/** Refreshes of tokens that are under way: while one is, the old tokens are worth nothing and the new ones are not kept. */
export class Refreshes {
  readonly #underWay = new Set<Promise<unknown>>();

  /** How it ends is for whoever waits for its tokens. */
  add(refresh: Promise<unknown>): void {
    const ended = refresh.then(
      () => void this.#underWay.delete(ended),
      () => void this.#underWay.delete(ended),
    );
    this.#underWay.add(ended);
  }

  /** Resolves when all have ended, also those that begin meanwhile; not much later than a host that hangs allows. */
  async settled(): Promise<void> {
    const late = new AbortController();
    const tooLate = sleep(closingMs, 'late', { ref: false, signal: late.signal }).catch(() => 'late');
    while (this.#underWay.size) if ((await Promise.race([Promise.all(this.#underWay), tooLate])) === 'late') break;
    late.abort();
  }
}
