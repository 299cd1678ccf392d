/** What was read of an answer: its value, and where the next page is. */
export type Page<T> = { value: T; link: string | undefined };

type Kept = { page: Page<unknown>; etag: string | undefined; owner: string; at: number; bytes: number };

/** What was read of answers of before, so that the host only has to say that nothing changed. Bounded in number and size; the
 * one that was not asked for the longest goes first. Keys name who asked, so nobody gets an answer that was another's. */
export class ETagCache {
  readonly #kept = new Map<string, Kept>();
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor({ maxEntries = 1000, maxBytes = 24 << 20 } = {}) {
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

  /** Several may get the same value from now on, so nobody can change it any more. */
  set(key: string, owner: string, page: Page<unknown>, etag: string | undefined): void {
    this.delete(key);
    const bytes = JSON.stringify(page.value)?.length ?? 0;
    if (bytes > this.#maxBytes / 8) return;
    freeze(page.value);
    this.#kept.set(key, { page, etag, owner, at: Date.now(), bytes });
    this.#bytes += bytes;
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
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }

  get size(): { entries: number; bytes: number } {
    return { entries: this.#kept.size, bytes: this.#bytes };
  }
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}
