import { isGitHostError } from '../errors.ts';
import type { GitHostCallOptions } from '../githost.ts';
import type { GitHubClient } from './client.ts';
import { bearer, type GitHubCredential } from './credential.ts';
import type { GitHubInstallation } from './shapes.ts';

export type InstallationToken = { value: string; expiresAt: number };
/** Restricts a token to repositories and permissions; an absent field restricts nothing. */
export type TokenScope = { repositories?: string[]; permissions?: Record<string, string> };
/** Cached token; `value` is undefined while the request is in flight. */
type Kept = { token: Promise<InstallationToken>; expiresAt: number; value: string | undefined };

/** Tokens are replaced early, so that none expires during an operation. */
const marginMs = 5 * 60_000;
/** While no new token can be issued, the old one is used until this long before it expires. */
const leastMs = 15_000;
const maxKept = 2000;

/** Cache of installation tokens. Subclasses issue them with their own key or through a lender. */
export abstract class InstallationTokens {
  protected readonly client: GitHubClient;
  readonly #tokens = new Map<number, Kept>();

  constructor(client: GitHubClient) {
    this.client = client;
  }

  abstract installation(id: number, options?: GitHostCallOptions): Promise<GitHubInstallation>;

  /** Issues a new token, restricted by `narrowing`. */
  abstract mint(id: number, narrowing: TokenScope | undefined, signal?: AbortSignal): Promise<InstallationToken>;

  /** Returns a credential with all permissions of the installation. */
  async credential(id: number, signal?: AbortSignal): Promise<GitHubCredential> {
    const kept = this.#tokens.get(id);
    const left = kept ? kept.expiresAt - this.client.now() : 0;
    // Concurrent callers share the request, so a single caller's signal does not abort it.
    const { token } = left > marginMs ? kept! : this.#renew(id);
    try {
      return bearer((await Promise.race([token, ...(signal ? [aborted(signal)] : [])])).value);
    } catch (error) {
      if (!kept?.value || left < leastMs || !isGitHostError(error, 'unavailable', 'rate_limited')) throw error;
      if (!this.#tokens.has(id)) this.#tokens.set(id, kept);
      return bearer(kept.value);
    }
  }

  /** Returns whether any cached token is still valid. */
  protected hasAny(): boolean {
    return this.#tokens.values().some(({ value, expiresAt }) => value && expiresAt - this.client.now() > leastMs);
  }

  /** Drops the cached tokens of all other installations. */
  keepOnly(ids: readonly number[]): void {
    for (const id of this.#tokens.keys()) if (!ids.includes(id)) this.#tokens.delete(id);
  }

  /** Drops a cached token that the host rejected. */
  forget(id: number, { secret }: GitHubCredential): void {
    if (this.#tokens.get(id)?.value === secret) this.#tokens.delete(id);
  }

  /** Revokes and drops the cached token of an installation. */
  async end(id: number, signal?: AbortSignal): Promise<void> {
    const value = this.#tokens.get(id)?.value;
    this.#tokens.delete(id);
    if (value) await this.endToken(value, signal);
  }

  endToken(token: string, signal?: AbortSignal): Promise<void> {
    return endInstallationToken(this.client, token, signal);
  }

  #renew(id: number): Kept {
    const kept: Kept = { token: this.mint(id, undefined), expiresAt: Infinity, value: undefined };
    this.#tokens.delete(id);
    this.#tokens.set(id, kept);
    if (this.#tokens.size > maxKept) this.#tokens.delete(this.#tokens.keys().next().value!);
    kept.token.then(
      (token) => Object.assign(kept, token),
      () => this.#tokens.get(id) === kept && this.#tokens.delete(id),
    );
    return kept;
  }
}

/** Revokes an installation token. Needs no other credential than the token itself. */
export async function endInstallationToken(client: GitHubClient, token: string, signal?: AbortSignal): Promise<void> {
  const call = { method: 'DELETE', path: '/installation/token', credential: bearer(token), signal } as const;
  await client.call(call).catch((error: unknown) => {
    if (!isGitHostError(error, 'unauthorized', 'not_found')) throw error;
  });
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const end = () => reject(signal.reason as Error);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });
