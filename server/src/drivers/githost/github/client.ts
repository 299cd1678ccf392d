import type { z } from '../../../lib/zod/index.ts';
import { GitHostError, isGitHostError } from '../errors.ts';
import type { GitHubAddresses } from './addresses.ts';
import type { GitHubCall, GitHubOptions } from './call.ts';
import { GitHubTransport } from './transport.ts';
import { credentialKey } from './credential.ts';
import { ETagCache, type GitHubPage } from './etag-cache.ts';
import type { GitHubResponse } from './exchange.ts';
import { limitedUntil, RateLimits } from './rate-limits.ts';
import { githubRefusal } from './refusal.ts';
import { accountShape, installationShapeOf, repositoryShape } from './shapes.ts';

/** Client of GitHub's API with response validation, caching and rate limits. */
export class GitHubClient {
  readonly addresses: GitHubAddresses;
  readonly cache = new ETagCache();
  /** Response schemas that depend on the host's web address. */
  readonly shapes;
  readonly #courier: GitHubTransport;
  readonly #limits = new RateLimits();

  constructor(options: GitHubOptions) {
    const { webUrl, apiUrl, uploadsUrl } = options;
    this.addresses = { webUrl, apiUrl, uploadsUrl };
    this.shapes = {
      account: accountShape(webUrl),
      installation: installationShapeOf(webUrl),
      repository: repositoryShape(webUrl),
    };
    this.#courier = new GitHubTransport(options);
  }

  /** Estimates the host's time from its last `Date` header. */
  now(): number {
    return this.#courier.now();
  }

  /** Returns the validated JSON of the response. */
  async json<T>(call: GitHubCall, shape: z.ZodType<T>): Promise<T> {
    return (await this.page(call, shape)).value;
  }

  /** Returns the validated JSON and the `Link` header. A URL must always use the same shape: parsed values are cached. */
  async page<T>(call: GitHubCall, shape: z.ZodType<T>): Promise<GitHubPage<T>> {
    const { credential, method = 'GET', maxAgeMs = 0 } = call;
    const url = this.#courier.addressOf(call);
    const key = method === 'GET' && credential ? `${credential.owner} ${url.href}` : undefined;
    const kept = key ? this.cache.get(key) : undefined;
    if (kept && Date.now() - kept.at < maxAgeMs) return kept.page as GitHubPage<T>;
    const answer = await this.#succeed(call, url, kept?.etag).catch((error: unknown) => {
      // The resource is gone or no longer accessible. An outage or a rate limit does not tell, so the entry stays.
      if (key && !isGitHostError(error, 'unavailable', 'rate_limited')) this.cache.delete(key);
      throw error;
    });
    if (answer.status === 304) {
      this.cache.confirm(key!);
      return kept!.page as GitHubPage<T>;
    }
    const page = { value: readAs(shape, answer), link: String(answer.headers.link ?? '') };
    if (key) this.cache.set(key, credential!.owner, page, answer.headers.etag);
    return page;
  }

  /** Sends a request and ignores the body of a successful response. */
  async call(call: GitHubCall): Promise<void> {
    await this.#succeed(call, this.#courier.addressOf(call), undefined);
  }

  close(): void {
    this.#courier.close();
  }

  async #succeed(call: GitHubCall, url: URL, etag: string | undefined): Promise<GitHubResponse> {
    const { credential, method = 'GET' } = call;
    const owner = credential?.owner ?? credentialKey(`${url.href} ${JSON.stringify(call.body ?? {})}`);
    this.#limits.check(owner);
    const answer = await this.#courier.bring(call, url, etag);
    if (method !== 'GET') this.cache.doubt(owner);
    const isSuccess = (answer.status >= 200 && answer.status <= 299) || (answer.status === 304 && etag !== undefined);
    if (isSuccess) return answer;
    const until = limitedUntil(answer);
    if (until !== undefined) this.#limits.remember(owner, until);
    throw githubRefusal(answer, credential?.secret);
  }
}

/** Parses the response; invalid JSON or an unexpected shape counts as an outage of the host. */
function readAs<T>(shape: z.ZodType<T>, { body }: Pick<GitHubResponse, 'body'>): T {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new GitHostError('unavailable', 'the git host sent a response that is not JSON');
  }
  const { success, data, error } = shape.safeParse(value);
  if (success) return data;
  const where = error.issues[0]?.path.join('.');
  throw new GitHostError('unavailable', `the git host sent an invalid response (${where || 'at its root'})`);
}
