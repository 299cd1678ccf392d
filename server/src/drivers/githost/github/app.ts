import { GitHostError, isGitHostError } from '../errors.ts';
import type { GitHostCallOptions } from '../githost.ts';
import type { AppKey } from './app-key.ts';
import type { GitHubCall } from './call.ts';
import type { GitHubClient } from './client.ts';
import type { GitHubCredential } from './credential.ts';
import { type InstallationToken, InstallationTokens, type TokenScope } from './installation-tokens.ts';
import { allPages } from './pages.ts';
import { apiPath } from './path.ts';
import { type GitHubInstallation, installationToken, registeredApp } from './shapes.ts';

/** The GitHub App with its own key: its installations and their tokens. One object per process. */
export class GitHubApp extends InstallationTokens {
  readonly #key: AppKey;

  constructor(client: GitHubClient, key: AppKey) {
    super(client);
    this.#key = key;
  }

  /** Lists all installations. The host does not know which of our organizations they belong to. */
  async installations({ signal }: GitHostCallOptions = {}): Promise<GitHubInstallation[]> {
    return this.#asApp((credential) =>
      allPages(this.client, { path: '/app/installations', credential, signal }, this.client.shapes.installation),
    );
  }

  /** Returns the app's name in URLs. */
  async slug({ signal }: GitHostCallOptions = {}): Promise<string> {
    const found = await this.#asApp((credential) =>
      this.client.json({ path: '/app', credential, signal }, registeredApp),
    );
    return found.slug;
  }

  async installation(id: number, { signal }: GitHostCallOptions = {}): Promise<GitHubInstallation> {
    const path = apiPath`/app/installations/${id}`;
    return this.#asApp((credential) => this.client.json({ path, credential, signal }, this.client.shapes.installation));
  }

  async mint(id: number, narrowing: TokenScope | undefined, signal?: AbortSignal): Promise<InstallationToken> {
    const path = apiPath`/app/installations/${id}/access_tokens`;
    const call: GitHubCall = {
      method: 'POST',
      path,
      credential: undefined,
      signal,
      ...(narrowing && { body: narrowing }),
    };
    const made = await this.#asApp((credential) => this.client.json({ ...call, credential }, installationToken));
    return { value: made.token, expiresAt: Date.parse(made.expires_at) || this.client.now() + 10 * 60_000 };
  }

  /** Retries once when our clock is off: the rejected response carries the host's time. */
  async #asApp<T>(call: (credential: GitHubCredential) => Promise<T>): Promise<T> {
    const before = this.client.now() - Date.now();
    try {
      return await call(this.#key.credential(this.client.now()));
    } catch (error) {
      const moved = Math.abs(this.client.now() - Date.now() - before);
      if (!isGitHostError(error, 'unauthorized')) throw error;
      if (moved < 30_000) throw new GitHostError('unauthorized', "the git host rejects the app's id and key");
      return call(this.#key.credential(this.client.now()));
    }
  }
}
