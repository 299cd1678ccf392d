/** Parsed response and its `Link` header. */
export type GitHubPage<T> = { value: T; link: string | undefined };

type Kept = { page: GitHubPage<unknown>; etag: string | undefined; owner: string; at: number; bytes: number };

/** LRU cache of parsed responses for conditional requests, bounded by entries and size. Keys include the credential's
 * owner, so that no caller gets another's response. */
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

  /** Freezes the value, because callers share it. */
  set(key: string, owner: string, page: GitHubPage<unknown>, etag: string | undefined): void {
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

  /** Marks the entry as fresh after a 304. */
  confirm(key: string): void {
    const kept = this.#kept.get(key);
    if (kept) kept.at = Date.now();
  }

  /** Marks an owner's entries as stale after a write. */
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
