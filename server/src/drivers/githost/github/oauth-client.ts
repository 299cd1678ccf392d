import { createHash, randomBytes } from 'node:crypto';
import { GitHostError, isGitHostError } from '../errors.ts';
import type { GitHostCallOptions } from '../githost.ts';
import type { GitHubClient } from './client.ts';
import { basic } from './credential.ts';
import { type OAuthTokens, tokenAnswer, tokenRefusal, tokensIn } from './oauth-answers.ts';
import { apiPath } from './path.ts';

export interface OAuthClientOptions {
  client: GitHubClient;
  clientId: string;
  /** Not needed for the device flow; required to exchange, refresh and revoke tokens. */
  clientSecret: string | undefined;
}

/** Scopes for repositories with their webhooks and statuses, organization memberships, and deleting repositories. */
export const wantedScopes: readonly string[] = ['repo', 'read:org', 'delete_repo'];

/** Started web sign-in, kept until the browser returns. */
export interface WebSignIn {
  url: string;
  state: string;
  /** PKCE verifier. Stored sealed. */
  codeVerifier: string;
}

/** Our OAuth client at the host. */
export class OAuthClient {
  readonly #client: GitHubClient;
  readonly #id: string;
  readonly #secret: string | undefined;

  constructor({ client, clientId, clientSecret }: OAuthClientOptions) {
    this.#client = client;
    this.#id = clientId;
    this.#secret = clientSecret;
  }

  get clientId(): string {
    return this.#id;
  }

  /** Without a secret, accounts can connect only through the device flow. */
  get hasSecret(): boolean {
    return this.#secret !== undefined;
  }

  /** Starts a web sign-in. The host returns `state` in the redirect. */
  begin(redirectUri: string, scopes: readonly string[] = wantedScopes): WebSignIn {
    const [state, codeVerifier] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
    const query = new URLSearchParams({
      client_id: this.#id,
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      state,
      code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    return { url: `${this.#client.addresses.webUrl}/login/oauth/authorize?${query.toString()}`, state, codeVerifier };
  }

  /** Exchanges the code from the redirect for tokens. */
  exchange(brought: { code: string; codeVerifier: string; redirectUri: string }, options: GitHostCallOptions = {}) {
    const { code, codeVerifier, redirectUri } = brought;
    return this.#token({ code, redirect_uri: redirectUri, code_verifier: codeVerifier }, options);
  }

  /** Invalidates the old tokens: store the new ones before using them. */
  refresh({ refreshToken }: OAuthTokens, options: GitHostCallOptions = {}): Promise<OAuthTokens> {
    if (!refreshToken) throw tokenRefusal('bad_refresh_token');
    return this.#token({ grant_type: 'refresh_token', refresh_token: refreshToken }, options);
  }

  /** Revokes a token. Idempotent: an invalid token counts as revoked. */
  async revoke({ accessToken }: Pick<OAuthTokens, 'accessToken'>, { signal }: GitHostCallOptions = {}): Promise<void> {
    if (!this.#secret) return;
    const path = apiPath`/applications/${this.#id}/token`;
    const credential = basic(this.#id, this.#secret);
    const body = { access_token: accessToken };
    await this.#client.call({ method: 'DELETE', path, credential, body, signal }).catch((error: unknown) => {
      if (!isGitHostError(error, 'not_found', 'invalid')) throw error;
    });
  }

  async #token(body: Record<string, string>, { signal }: GitHostCallOptions): Promise<OAuthTokens> {
    if (!this.#secret) throw new GitHostError('invalid', 'the OAuth client has no secret; set GITHOST_CLIENT_SECRET');
    const call = {
      method: 'POST',
      at: 'web',
      path: '/login/oauth/access_token',
      credential: undefined,
      signal,
    } as const;
    const answer = await this.#client.json(
      { ...call, body: { client_id: this.#id, client_secret: this.#secret, ...body } },
      tokenAnswer,
    );
    const tokens = tokensIn(answer);
    if (!tokens) throw tokenRefusal(answer.error);
    return tokens;
  }
}
