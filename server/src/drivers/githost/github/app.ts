import { GitHostError, isGitHostError } from '../errors.ts';
import type { CallOptions } from '../githost.ts';
import type { AppKey } from './app-key.ts';
import type { GitHubCall } from './call.ts';
import type { GitHubClient } from './client.ts';
import { bearer, type Credential } from './credential.ts';
import { allPages } from './pages.ts';
import { apiPath } from './path.ts';
import { type Installation, installationToken, registeredApp } from './shapes.ts';

type Token = { value: string; expiresAt: number };
/** One that is asked for or there; without a value as long as it is asked for. */
type Kept = { token: Promise<Token>; expiresAt: number; value: string | undefined };
type Narrowing = { repositories: string[]; permissions: Record<string, string> };

/** Tokens are replaced before anybody can meet their end in the middle of something. */
const marginMs = 5 * 60_000;
const maxKept = 2000;

/** The app as the host knows it: where it is installed, and tokens for there. One object for the whole service. */
export class GitHubApp {
  readonly #client: GitHubClient;
  readonly #key: AppKey;
  readonly #tokens = new Map<number, Kept>();

  constructor(client: GitHubClient, key: AppKey) {
    this.#client = client;
    this.#key = key;
  }

  /** Everywhere. Whose they are in here is not for the host to say. */
  async installations({ signal }: CallOptions = {}): Promise<Installation[]> {
    return this.#asApp((credential) =>
      allPages(this.#client, { path: '/app/installations', credential, signal }, this.#client.shapes.installation),
    );
  }

  /** How the app is called in addresses. */
  async slug({ signal }: CallOptions = {}): Promise<string> {
    const found = await this.#asApp((credential) =>
      this.#client.json({ path: '/app', credential, signal }, registeredApp),
    );
    return found.slug;
  }

  async installation(id: number, { signal }: CallOptions = {}): Promise<Installation> {
    const path = apiPath`/app/installations/${id}`;
    return this.#asApp((credential) =>
      this.#client.json({ path, credential, signal }, this.#client.shapes.installation),
    );
  }

  /** For everything that the app may do there; kept until shortly before it is over. */
  async credential(id: number, signal?: AbortSignal): Promise<Credential> {
    const kept = this.#tokens.get(id);
    const isGood = kept && kept.expiresAt - this.#client.now() > marginMs;
    // Whoever comes at the same time waits for the same one; so it is not ended by the first one's signal.
    const { token } = isGood ? kept : this.#renew(id);
    return bearer((await Promise.race([token, ...(signal ? [aborted(signal)] : [])])).value);
  }

  /** The host does not accept it any more. */
  forget(id: number, { secret }: Credential): void {
    if (this.#tokens.get(id)?.value === secret) this.#tokens.delete(id);
  }

  /** A token of its own, for less. */
  async mint(id: number, narrowing: Narrowing | undefined, signal?: AbortSignal): Promise<Token> {
    const path = apiPath`/app/installations/${id}/access_tokens`;
    const call: GitHubCall = {
      method: 'POST',
      path,
      credential: undefined,
      signal,
      ...(narrowing && { body: narrowing }),
    };
    const made = await this.#asApp((credential) => this.#client.json({ ...call, credential }, installationToken));
    return { value: made.token, expiresAt: Date.parse(made.expires_at) || this.#client.now() + 10 * 60_000 };
  }

  /** Ends a token of an installation. */
  async endToken(token: string, signal?: AbortSignal): Promise<void> {
    const call = { method: 'DELETE', path: '/installation/token', credential: bearer(token), signal } as const;
    await this.#client.call(call).catch((error: unknown) => {
      if (!isGitHostError(error, 'unauthorized', 'not_found')) throw error;
    });
  }

  /** Ends what is kept for an installation. */
  async end(id: number, signal?: AbortSignal): Promise<void> {
    const value = this.#tokens.get(id)?.value;
    this.#tokens.delete(id);
    if (value) await this.endToken(value, signal);
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

  /** With a clock that is wrong here, the first statement is refused; by then the host has told us its time. */
  async #asApp<T>(call: (credential: Credential) => Promise<T>): Promise<T> {
    const before = this.#client.now() - Date.now();
    try {
      return await call(this.#key.credential(this.#client.now()));
    } catch (error) {
      const moved = Math.abs(this.#client.now() - Date.now() - before);
      if (!isGitHostError(error, 'unauthorized')) throw error;
      if (moved < 30_000) throw new GitHostError('unauthorized', "the git host does not accept the app's id and key");
      return call(this.#key.credential(this.#client.now()));
    }
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const end = () => reject(signal.reason as Error);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });
