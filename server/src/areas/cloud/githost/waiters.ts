import { setTimeout as sleep } from 'node:timers/promises';

/** Another replica may have put something in. */
const glanceMs = 2000;
const mostOfOne = 5;

/** Those who wait until there is something for their organization. */
export class Waiters {
  readonly #stopping = new AbortController();
  readonly #waiting = new Map<string, Set<AbortController>>();

  /** What `look` finds as soon as it finds something; nothing when the time is over, or too many wait already. */
  async wait<T>(organizationId: string, ms: number, look: () => Promise<T[]>): Promise<T[]> {
    const until = (this.#waiting.get(organizationId)?.size ?? 0) < mostOfOne ? Date.now() + ms : 0;
    for (;;) {
      const waiting = this.#waiting.get(organizationId) ?? new Set();
      this.#waiting.set(organizationId, waiting);
      // Before one looks: what comes in the meantime is seen at once.
      const woken = new AbortController();
      waiting.add(woken);
      try {
        const found = await look();
        const left = until - Date.now();
        if (found.length || left <= 0 || this.#stopping.signal.aborted) return found;
        const signal = AbortSignal.any([woken.signal, this.#stopping.signal]);
        await sleep(Math.min(left, glanceMs), undefined, { signal, ref: false }).catch(() => undefined);
      } finally {
        waiting.delete(woken);
        if (!waiting.size) this.#waiting.delete(organizationId);
      }
    }
  }

  wake(organizationId: string): void {
    for (const each of this.#waiting.get(organizationId) ?? []) each.abort();
  }

  stop(): void {
    this.#stopping.abort();
  }
}
