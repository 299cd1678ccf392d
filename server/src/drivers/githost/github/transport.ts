import { setTimeout as pause } from 'node:timers/promises';
import { OutboundError } from '../../../lib/outbound.ts';
import { GitHostError } from '../errors.ts';
import type { GitHubAddresses } from './addresses.ts';
import type { GitHubCall, GitHubOptions } from './call.ts';
import { GitHubHttp, type GitHubResponse } from './exchange.ts';
import { networkErrorOf } from './refusal.ts';

const usualDeadlineMs = 15_000;
const usualMaxBytes = 8 << 20;
const attempts = 3;
const maxRedirects = 3;
const longestPauseMs = 2_000;
const cutOff = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED']);

/** Sends requests with retries and redirects, and returns the response whatever its status. */
export class GitHubTransport {
  readonly #addresses: GitHubAddresses;
  readonly #exchange: GitHubHttp;
  /** Clock offset of the host relative to ours. */
  #aheadMs = 0;

  constructor({ reach, ca, ...addresses }: GitHubOptions) {
    this.#addresses = addresses;
    this.#exchange = new GitHubHttp({ reach, ca });
  }

  /** Estimates the host's time from its last `Date` header. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  /** Sends the request; idempotent methods are retried after a reset connection or a 502, 503 or 504. */
  async bring(call: GitHubCall, url: URL, etag: string | undefined): Promise<GitHubResponse> {
    const { method = 'GET', signal, deadlineMs = usualDeadlineMs } = call;
    const deadline = AbortSignal.timeout(deadlineMs);
    const stop = signal ? AbortSignal.any([signal, deadline]) : deadline;
    const mayRepeat = method === 'GET' || method === 'DELETE' || method === 'PUT';
    try {
      for (let attempt = 1; ; attempt++) {
        const isLast = attempt === attempts || !mayRepeat;
        const answer = await this.#follow(call, url, etag, stop).catch((error: unknown) => {
          if (isLast || !wasCutOff(error)) throw error;
          return undefined;
        });
        // The previous attempt deleted it, but its response was lost.
        if (answer?.status === 404 && method === 'DELETE' && attempt > 1) return { ...answer, status: 204 };
        if (answer && (isLast || !isHiccup(answer))) return answer;
        await pause(pauseMs(attempt, answer), undefined, { signal: stop });
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw networkErrorOf(deadline.aborted ? deadline.reason : error, url.host);
    }
  }

  /** Follows redirects of renamed repositories, but only within the API, so that credentials go nowhere else. */
  async #follow(call: GitHubCall, first: URL, etag: string | undefined, signal: AbortSignal): Promise<GitHubResponse> {
    const { method = 'GET' } = call;
    let url = first;
    for (let redirects = 0; ; redirects++) {
      const answer = await this.#send(call, url, etag, signal);
      const { location } = answer.headers;
      if (!location || ![301, 302, 307, 308].includes(answer.status)) return answer;
      const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
      const mayFollow = method === 'GET' || answer.status >= 307;
      if (!mayFollow || !next || redirects === maxRedirects || call.at === 'web' || !this.#isOfApi(next))
        throw new GitHostError('unavailable', 'the git host redirects to another host, which Mooring does not follow');
      url = next;
    }
  }

  async #send(call: GitHubCall, url: URL, etag: string | undefined, signal: AbortSignal): Promise<GitHubResponse> {
    const { method = 'GET', body, credential, maxBytes = usualMaxBytes, at = 'api' } = call;
    const answer = await this.#exchange.send({
      method,
      url,
      headers: {
        accept: at === 'api' ? 'application/vnd.github+json' : 'application/json',
        'user-agent': 'mooring',
        ...(at === 'api' && { 'x-github-api-version': '2022-11-28' }),
        ...(credential && { authorization: credential.header }),
        ...(etag && { 'if-none-match': etag }),
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
      maxBytes,
      signal,
      isAlone: method === 'POST' || method === 'PATCH',
    });
    const theirs = Date.parse(answer.headers.date ?? '');
    if (theirs) this.#aheadMs = theirs - Date.now();
    return answer;
  }

  addressOf({ path, at = 'api', query = {} }: GitHubCall): URL {
    if (path instanceof URL && !this.#isOfApi(path))
      throw new GitHostError('unavailable', 'the git host redirects to another host, which Mooring does not follow');
    const url =
      path instanceof URL
        ? new URL(path)
        : new URL((at === 'api' ? this.#addresses.apiUrl : this.#addresses.webUrl) + path);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    return url;
  }

  #isOfApi(url: URL): boolean {
    const { apiUrl } = this.#addresses;
    return `${url.origin}${url.pathname}`.startsWith(`${apiUrl}/`) && !url.username && !url.password;
  }

  close(): void {
    this.#exchange.close();
  }
}

const wasCutOff = (error: unknown): boolean =>
  !(error instanceof OutboundError) && cutOff.has((error as NodeJS.ErrnoException).code ?? '');

const isHiccup = ({ status }: GitHubResponse): boolean => status === 502 || status === 503 || status === 504;

function pauseMs(attempt: number, answer: GitHubResponse | undefined): number {
  const asked = Number(answer?.headers['retry-after'] ?? 0) * 1000;
  const usual = 100 * 3 ** attempt * (0.75 + Math.random() / 2);
  return Math.min(longestPauseMs, Math.max(usual, asked || 0));
}
