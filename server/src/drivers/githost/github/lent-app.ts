import { isGitHostError } from '../errors.ts';
import type { GitHostCallOptions } from '../githost.ts';
import type { GitHubClient } from './client.ts';
import { type InstallationToken, InstallationTokens, type Narrowing } from './installation-tokens.ts';
import type { Installation } from './shapes.ts';

/** Somebody who holds the key of an app and gives us tokens of it. Fails with a GitHostError, as the host would. */
export interface Lender {
  mint(id: number, narrowing: Narrowing | undefined, signal?: AbortSignal): Promise<InstallationToken>;
  /** As it was last heard of. */
  installation(id: number): Promise<Installation>;
}

/** An app whose key is elsewhere. What it may do at the host, it does by itself. */
export class LentApp extends InstallationTokens {
  readonly #lender: Lender;

  constructor(client: GitHubClient, lender: Lender) {
    super(client);
    this.#lender = lender;
  }

  /** That there is a token for it shows that it is there and awake. While the lender is away, one that works shows enough. */
  async installation(id: number, { signal }: GitHostCallOptions = {}): Promise<Installation> {
    await this.credential(id, signal).catch((error: unknown) => {
      if (!isGitHostError(error, 'unavailable') || !this.hasAny()) throw error;
    });
    return this.#lender.installation(id);
  }

  mint(id: number, narrowing: Narrowing | undefined, signal?: AbortSignal): Promise<InstallationToken> {
    return this.#lender.mint(id, narrowing, signal);
  }
}
