import { setTimeout as pause } from 'node:timers/promises';
import { GitHostError, isGitHostError } from '../errors.ts';
import type { GitHostCallOptions, GitSource } from '../githost.ts';
import type { GitHubClient } from './client.ts';
import { bearer, type GitHubCredential } from './credential.ts';
import type { OAuthTokens } from './oauth-answers.ts';
import type { OAuthClient } from './oauth-client.ts';
import { UserSource } from './user-source.ts';

/** Sealed storage for the tokens of one connection. */
export interface TokenVault {
  /** Undefined when the connection was removed. */
  read(): Promise<OAuthTokens | undefined>;
  /** Resolves once the tokens are stored. A refresh token works only once, so losing these loses the connection. */
  write(tokens: OAuthTokens): Promise<void>;
}

type Options = {
  client: GitHubClient;
  oauth: OAuthClient;
  vault: TokenVault;
  /** Called with each refresh; the promise settles once the new tokens are stored. */
  onRefresh?: (refresh: Promise<unknown>) => void;
};

/** Tokens are refreshed early, so that none expires during an operation. */
const marginMs = 5 * 60_000;
const [looks, lookMs] = [5, 200];

/** Source that uses a connected account. One object per connection, so that refreshes do not race. */
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

  /** Ignores the caller's signal: aborting could lose the new tokens after the old ones became invalid. */
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

  /** Waits briefly for tokens that another process may have refreshed at the same time. */
  async #replacement(old: OAuthTokens): Promise<OAuthTokens | undefined> {
    for (let look = 0; look < looks; look++) {
      const now = await this.#vault.read();
      if (now?.accessToken !== old.accessToken) return now;
      await pause(lookMs);
    }
    return undefined;
  }
}
