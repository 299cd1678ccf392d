import { setTimeout as pause } from 'node:timers/promises';
import { GitHostError, isGitHostError } from '../errors.ts';
import type { GitHostCallOptions, GitSource } from '../githost.ts';
import type { GitHubClient } from './client.ts';
import { bearer, type GitHubCredential } from './credential.ts';
import type { OAuthTokens } from './oauth-answers.ts';
import type { OAuthClient } from './oauth-client.ts';
import { UserSource } from './user-source.ts';

/** Where the tokens of one connection are kept, sealed. */
export interface TokenVault {
  /** Undefined when the connection is not there any more. */
  read(): Promise<OAuthTokens | undefined>;
  /** Resolves when they are kept. A refresh token works once, so whoever loses these has lost the connection. */
  write(tokens: OAuthTokens): Promise<void>;
}

type Options = {
  client: GitHubClient;
  oauth: OAuthClient;
  vault: TokenVault;
  /** Told of each refresh, which ends when the new tokens are kept. */
  onRefresh?: (refresh: Promise<unknown>) => void;
};

/** Tokens are refreshed before anybody can meet their end in the middle of something. */
const marginMs = 5 * 60_000;
const [looks, lookMs] = [5, 200];

/** What a connected account sees. One object for a connection, so that two refreshes do not meet. */
export class OAuthSource extends UserSource implements GitSource {
  readonly kind = 'oauth';
  readonly #oauth: OAuthClient;
  readonly #vault: TokenVault;
  readonly #onRefresh: (refresh: Promise<unknown>) => void;
  #refreshing: Promise<OAuthTokens> | undefined;

  constructor({ client, oauth, vault, onRefresh = () => {} }: Options) {
    super(client);
    this.#onRefresh = onRefresh;
    this.#oauth = oauth;
    this.#vault = vault;
  }

  async revoke(options: GitHostCallOptions = {}): Promise<void> {
    const tokens = await this.#vault.read();
    if (tokens) await this.#oauth.revoke(tokens, options);
  }

  protected async credential(): Promise<GitHubCredential> {
    return bearer((await this.#fresh()).accessToken);
  }

  protected async renewed(_owner: string, { secret }: GitHubCredential): Promise<GitHubCredential | undefined> {
    const tokens = await this.#read();
    if (tokens.accessToken !== secret) return bearer(tokens.accessToken);
    return tokens.refreshToken ? bearer((await this.#refresh(tokens)).accessToken) : undefined;
  }

  protected override async tokenExpiresAt(): Promise<number | null> {
    return (await this.#read()).expiresAt;
  }

  async #read(): Promise<OAuthTokens> {
    const tokens = await this.#vault.read();
    if (!tokens) throw new GitHostError('unauthorized', 'no account is connected');
    return tokens;
  }

  async #fresh(): Promise<OAuthTokens> {
    const tokens = await this.#read();
    const isFresh = tokens.expiresAt === null || tokens.expiresAt - Date.now() > marginMs;
    return isFresh || !tokens.refreshToken ? tokens : this.#refresh(tokens);
  }

  /** Not ended by a caller's signal: in the middle of it, the old tokens are worth nothing and the new ones not kept. */
  #refresh(old: OAuthTokens): Promise<OAuthTokens> {
    if (this.#refreshing) return this.#refreshing;
    this.#refreshing = this.#exchange(old).finally(() => (this.#refreshing = undefined));
    this.#onRefresh(this.#refreshing);
    return this.#refreshing;
  }

  async #exchange(old: OAuthTokens): Promise<OAuthTokens> {
    try {
      const tokens = await this.#oauth.refresh(old);
      await this.#vault.write(tokens);
      return tokens;
    } catch (error) {
      const others = isGitHostError(error, 'unauthorized') ? await this.#replacement(old) : undefined;
      if (!others) throw error;
      return others;
    }
  }

  /** Another process may have been faster; then the new tokens are there, or will be in a moment. */
  async #replacement(old: OAuthTokens): Promise<OAuthTokens | undefined> {
    for (let look = 0; look < looks; look++) {
      const now = await this.#vault.read();
      if (now?.accessToken !== old.accessToken) return now;
      await pause(lookMs);
    }
    return undefined;
  }
}
