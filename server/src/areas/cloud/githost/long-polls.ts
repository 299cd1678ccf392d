import { setTimeout as sleep } from 'node:timers/promises';

/** Another replica may have stored a delivery. */
const glanceMs = 2000;
const mostOfOne = 5;

/** Long-polling readers by organization. */
export class LongPolls {
  readonly #stopping = new AbortController();
  readonly #waiting = new Map<string, Set<AbortController>>();

  /** Returns the result of `look` once it is not empty; empty after the timeout, or if too many are waiting. */
  async wait<T>(organizationId: string, ms: number, look: () => Promise<T[]>): Promise<T[]> {
    const until = (this.#waiting.get(organizationId)?.size ?? 0) < mostOfOne ? Date.now() + ms : 0;
    for (;;) {
      const waiting = this.#waiting.get(organizationId) ?? new Set();
      this.#waiting.set(organizationId, waiting);
      // Registered before `look`, so that no wake-up is missed.
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
