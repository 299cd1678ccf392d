import { createHash } from 'node:crypto';
import type { Answer, Asked } from './githost-gaps.ts';
import { oauthApp } from './githost-seed.ts';
import { DeviceFlows, type TokenBook } from './githost-tokens.ts';

const answer = (value: unknown, status = 200): Answer => ({ status, headers: {}, text: JSON.stringify(value) });
const tokenSeconds = 28_800;

/** Sign-in features that the emulator lacks: the device flow, PKCE, expiring tokens, revocation. */
export class SignIns {
  readonly flows = new DeviceFlows();
  /** Whether user tokens expire and can be refreshed. */
  areTokensRenewable = false;
  deviceInterval = 1;
  readonly #challenges = new Map<string, { challenge: string | undefined; login: string }>();
  readonly #webUrl: string;
  readonly #tokens: TokenBook;
  readonly #forward: (asked: Asked) => Promise<Answer>;

  constructor(webUrl: string, tokens: TokenBook, forward: (asked: Asked) => Promise<Answer>) {
    this.#webUrl = webUrl;
    this.#tokens = tokens;
    this.#forward = forward;
  }

  /** Authorizes in place of a person in a browser; returns the redirect. */
  async agree(authorizeUrl: string, login: string): Promise<URL> {
    const query = Object.fromEntries(new URL(authorizeUrl).searchParams);
    const page = await fetch(authorizeUrl);
    if (page.status !== 200) throw new Error(await page.text());
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = Buffer.from(new URLSearchParams({ ...query, login }).toString());
    const sent = await this.#forward({ method: 'POST', path: '/login/oauth/callback', headers, body });
    const back = new URL(sent.headers['location']!);
    this.#challenges.set(back.searchParams.get('code')!, { challenge: query['code_challenge'], login });
    return back;
  }

  async answer(asked: Asked, path: string): Promise<Answer> {
    if (path === '/login/device/code') return answer(this.flows.begin(this.#webUrl, this.deviceInterval));
    if (path !== '/login/oauth/access_token') return this.#forward(asked);
    const given = JSON.parse(asked.body.toString()) as Record<string, string>;
    if (given['refresh_token']) return answer(this.#tokens.refresh(given['refresh_token'], tokenSeconds));
    if (given['device_code']) {
      const polled = this.flows.poll(given['device_code']);
      return answer('holder' in polled ? this.#tokens.renewable(polled.holder, tokenSeconds) : polled);
    }
    return this.#exchange(asked, given['code']!, given['code_verifier'] ?? '');
  }

  async #exchange(asked: Asked, code: string, verifier: string): Promise<Answer> {
    const { challenge, login = '' } = this.#challenges.get(code) ?? {};
    if (challenge && createHash('sha256').update(verifier).digest('base64url') !== challenge)
      return answer({ error: 'bad_verification_code' });
    const given = await this.#forward(asked);
    const { access_token: token } = JSON.parse(given.text) as { access_token?: string };
    if (!token) return given;
    this.#tokens.give(token, { real: token, login });
    return this.areTokensRenewable ? answer(this.#tokens.renewable({ real: token, login }, tokenSeconds)) : given;
  }

  revoke({ headers, body }: Asked): Answer {
    const proof = Buffer.from(`${oauthApp.clientId}:${oauthApp.clientSecret}`).toString('base64');
    if (headers['authorization'] !== `Basic ${proof}`) return answer({ message: 'Bad credentials' }, 401);
    const { access_token: token } = JSON.parse(body.toString()) as { access_token: string };
    return this.#tokens.end(token) ? answer(null, 204) : answer({ message: 'Not Found' }, 404);
  }
}
