import { isGitHostError } from '../errors.ts';
import type { GitHostCallOptions } from '../githost.ts';
import type { GitHubClient } from './client.ts';
import { bearer, type GitHubCredential } from './credential.ts';
import type { Installation } from './shapes.ts';

/** A token of an installation, and when it is over. */
export type InstallationToken = { value: string; expiresAt: number };
/** What a token is narrowed to; what is not named is not narrowed. */
export type Narrowing = { repositories?: string[]; permissions?: Record<string, string> };
/** One that is asked for or there; without a value as long as it is asked for. */
type Kept = { token: Promise<InstallationToken>; expiresAt: number; value: string | undefined };

/** Tokens are replaced before anybody can meet their end in the middle of something. */
const marginMs = 5 * 60_000;
/** While nobody gives another one, the old one goes on until shortly before its end. */
const leastMs = 15_000;
const maxKept = 2000;

/** Tokens for where an app is installed, whoever holds its key. They are kept until shortly before they are over. */
export abstract class InstallationTokens {
  protected readonly client: GitHubClient;
  readonly #tokens = new Map<number, Kept>();

  constructor(client: GitHubClient) {
    this.client = client;
  }

  abstract installation(id: number, options?: GitHostCallOptions): Promise<Installation>;

  /** A token of its own, for less where that is said. */
  abstract mint(id: number, narrowing: Narrowing | undefined, signal?: AbortSignal): Promise<InstallationToken>;

  /** For everything that the app may do there. */
  async credential(id: number, signal?: AbortSignal): Promise<GitHubCredential> {
    const kept = this.#tokens.get(id);
    const left = kept ? kept.expiresAt - this.client.now() : 0;
    // Whoever comes at the same time waits for the same one; so it is not ended by the first one's signal.
    const { token } = left > marginMs ? kept! : this.#renew(id);
    try {
      return bearer((await Promise.race([token, ...(signal ? [aborted(signal)] : [])])).value);
    } catch (error) {
      if (!kept?.value || left < leastMs || !isGitHostError(error, 'unavailable', 'rate_limited')) throw error;
      if (!this.#tokens.has(id)) this.#tokens.set(id, kept);
      return bearer(kept.value);
    }
  }

  /** Whether there is one for any installation that is good for a while. */
  protected hasAny(): boolean {
    return this.#tokens.values().some(({ value, expiresAt }) => value && expiresAt - this.client.now() > leastMs);
  }

  /** What is kept for others is worth nothing any more. */
  keepOnly(ids: readonly number[]): void {
    for (const id of this.#tokens.keys()) if (!ids.includes(id)) this.#tokens.delete(id);
  }

  /** The host does not accept it any more. */
  forget(id: number, { secret }: GitHubCredential): void {
    if (this.#tokens.get(id)?.value === secret) this.#tokens.delete(id);
  }

  /** Ends what is kept for an installation. */
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

/** Ends a token of an installation. Whoever has it may. */
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
