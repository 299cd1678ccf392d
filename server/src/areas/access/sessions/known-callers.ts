import type { AccessVersion } from '../../../db/access-changes.ts';
import type { SignedIn } from '../../../http/caller.ts';

export type KnownCaller = { caller: Omit<SignedIn, 'ip'>; expiresAt: number | null; proofHash?: string | null };

const most = 1000;

/** Cached callers, valid until an access table changes. */
export class KnownCallers {
  readonly #version: AccessVersion;
  readonly #entries = new Map<string, { version: number; known: KnownCaller }>();

  constructor(version: AccessVersion) {
    this.#version = version;
  }

  find(key: string, read: () => Promise<KnownCaller | null>): KnownCaller | Promise<KnownCaller | null> {
    const version = this.#version();
    const entry = this.#entries.get(key);
    if (entry && entry.version === version) return entry.known;
    return this.#read(key, version, read);
  }

  /** Keeps the version from before the read: a change during it makes the entry stale at once. */
  async #read(key: string, version: number | undefined, read: () => Promise<KnownCaller | null>) {
    const known = await read();
    this.#entries.delete(key);
    // A session may name any number of organizations that it does not belong to.
    if (!known?.caller.organization || version === undefined) return known;
    if (this.#entries.size >= most) this.#entries.delete(this.#entries.keys().next().value!);
    this.#entries.set(key, { version, known });
    return known;
  }
}
