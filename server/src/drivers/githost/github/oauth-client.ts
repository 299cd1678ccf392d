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
  /** Not needed for the device flow; without it nothing can be exchanged, refreshed or revoked. */
  clientSecret: string | undefined;
}

/** What we ask an account for: its repositories with their hooks and statuses, which organizations it is in, and deleting. */
export const wantedScopes: readonly string[] = ['repo', 'read:org', 'delete_repo'];

/** A sign-in that has begun: what is kept until the browser comes back. */
export interface WebSignIn {
  url: string;
  state: string;
  /** Proves that whoever brings the code is the one who began. Sealed while it is kept. */
  codeVerifier: string;
}

/** Our program as the host's OAuth knows it. */
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

  /** Without one, accounts can only sign in by a code. */
  get hasSecret(): boolean {
    return this.#secret !== undefined;
  }

  /** Where a browser is sent. The state comes back with it, once. */
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

  /** What the browser brought, for tokens. */
  exchange(brought: { code: string; codeVerifier: string; redirectUri: string }, options: GitHostCallOptions = {}) {
    const { code, codeVerifier, redirectUri } = brought;
    return this.#token({ code, redirect_uri: redirectUri, code_verifier: codeVerifier }, options);
  }

  /** The old ones are worth nothing afterwards: keep the new ones before they are used. */
  refresh({ refreshToken }: OAuthTokens, options: GitHostCallOptions = {}): Promise<OAuthTokens> {
    if (!refreshToken) throw tokenRefusal('bad_refresh_token');
    return this.#token({ grant_type: 'refresh_token', refresh_token: refreshToken }, options);
  }

  /** Gives a token back. One that is worth nothing already is given back. */
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
