import { GitHostError } from '../errors.ts';
import type { GitHubResponse } from './exchange.ts';

/** GitHub documents one minute when a secondary rate limit names no time. */
const usualPauseMs = 60_000;
const longestPauseMs = 3_600_000;
const maxRemembered = 1000;

/** Returns when to retry if the response reports a rate limit. */
export function limitedUntil({ status, headers, body }: GitHubResponse, now = Date.now()): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const wait = Number(headers['retry-after']);
  const atMost = (time: number) => Math.min(Math.max(time, now), now + longestPauseMs);
  if (headers['retry-after'] && Number.isFinite(wait)) return atMost(now + wait * 1000);
  if (headers['x-ratelimit-remaining'] === '0')
    return atMost(Number(headers['x-ratelimit-reset']) * 1000 || now + usualPauseMs);
  return status === 429 || /secondary rate limit|abuse detection/i.test(body) ? now + usualPauseMs : undefined;
}

/** Blocks requests of a limited credential until its limit resets: GitHub may ban clients that continue. */
export class RateLimits {
  readonly #until = new Map<string, number>();

  check(owner: string): void {
    const until = this.#until.get(owner);
    if (until === undefined) return;
    if (until > Date.now()) throw rateLimited(until);
    this.#until.delete(owner);
  }

  remember(owner: string, until: number): void {
    this.#until.delete(owner);
    this.#until.set(owner, until);
    if (this.#until.size > maxRemembered) this.#until.delete(this.#until.keys().next().value!);
  }
}

export const rateLimited = (retryAt: number): GitHostError => {
  const seconds = Math.max(1, Math.ceil((retryAt - Date.now()) / 1000));
  const wait = seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return new GitHostError('rate_limited', `the rate limit of the git host is reached; try again in ${wait}`, {
    retryAt,
  });
};
