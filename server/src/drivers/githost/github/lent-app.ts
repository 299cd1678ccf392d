import { isGitHostError } from '../errors.ts';
import type { GitHostCallOptions } from '../githost.ts';
import type { GitHubClient } from './client.ts';
import { type InstallationToken, InstallationTokens, type TokenScope } from './installation-tokens.ts';
import type { GitHubInstallation } from './shapes.ts';

/** Holds the key of an app and issues its tokens to us. Fails with a GitHostError, as the host would. */
export interface Lender {
  mint(id: number, narrowing: TokenScope | undefined, signal?: AbortSignal): Promise<InstallationToken>;
  /** Returns the last known state. */
  installation(id: number): Promise<GitHubInstallation>;
}

/** App whose key is held by a lender. Tokens and installation state come from it; other calls go to the host directly. */
export class LentApp extends InstallationTokens {
  readonly #lender: Lender;

  constructor(client: GitHubClient, lender: Lender) {
    super(client);
    this.#lender = lender;
  }

  /** Getting a token proves that the installation is active. While the lender is unavailable, any cached token suffices. */
  async installation(id: number, { signal }: GitHostCallOptions = {}): Promise<GitHubInstallation> {
    await this.credential(id, signal).catch((error: unknown) => {
      if (!isGitHostError(error, 'unavailable') || !this.hasAny()) throw error;
    });
    return this.#lender.installation(id);
  }

  mint(id: number, narrowing: TokenScope | undefined, signal?: AbortSignal): Promise<InstallationToken> {
    return this.#lender.mint(id, narrowing, signal);
  }
}
