import type { Incoming } from './exchange.ts';

type Kept = { answer: Incoming; etag: string | undefined; owner: string; at: number };

/** Answers of before, so that the host only has to say that nothing changed. Bounded in number and size; the one that was
 * not asked for the longest goes first. Keys name who asked, so nobody gets an answer that was another's. */
export class ETagCache {
  readonly #kept = new Map<string, Kept>();
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor({ maxEntries = 500, maxBytes = 24 << 20 } = {}) {
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
  }

  get(key: string): Kept | undefined {
    const kept = this.#kept.get(key);
    if (!kept) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept;
  }

  set(key: string, owner: string, answer: Incoming): void {
    this.delete(key);
    if (answer.body.length > this.#maxBytes / 8) return;
    this.#kept.set(key, { answer, etag: answer.headers.etag, owner, at: Date.now() });
    this.#bytes += answer.body.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) break;
      this.delete(oldest);
    }
  }

  /** The host has said that this is how it is now. */
  confirm(key: string): void {
    const kept = this.#kept.get(key);
    if (kept) kept.at = Date.now();
  }

  /** Whoever has changed something looks again. */
  doubt(owner: string): void {
    for (const kept of this.#kept.values()) if (kept.owner === owner) kept.at = 0;
  }

  delete(key: string): void {
    this.#bytes -= this.#kept.get(key)?.answer.body.length ?? 0;
    this.#kept.delete(key);
  }

  get size(): { entries: number; bytes: number } {
    return { entries: this.#kept.size, bytes: this.#bytes };
  }
}
