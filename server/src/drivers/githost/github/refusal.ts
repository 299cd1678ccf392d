import { OutboundError } from '../../../lib/outbound.ts';
import { GitHostError } from '../errors.ts';
import type { GitHubResponse } from './exchange.ts';
import { limitedUntil, rateLimited } from './rate-limits.ts';

const longestReason = 300;
const tokenLike = /\b(gh[a-z]_|github_pat_|v1\.|eyJ)[\w.-]{16,}/g;

/** Maps an unsuccessful response to a GitHostError. */
export function githubRefusal(answer: GitHubResponse, secret: string | undefined): GitHostError {
  const { status } = answer;
  const limited = limitedUntil(answer);
  if (limited !== undefined) return rateLimited(limited);
  const said = reasonIn(answer.body, secret);
  const because = said ? `: ${said}` : '';
  if (status === 401) return new GitHostError('unauthorized', 'the git host rejects the credentials; connect it again');
  if (status === 403) return new GitHostError('forbidden', `the git host does not allow this${because}`);
  if (status === 404 || status === 410 || status === 451)
    return new GitHostError('not_found', 'this does not exist at the git host, or the connection has no access to it');
  if (status === 409) return new GitHostError('conflict', `the git host cannot do this at the moment${because}`);
  if (status === 422 && /already exists/i.test(answer.body))
    return new GitHostError('conflict', `this name already exists at the git host${because}`);
  if (status >= 400 && status < 500) return new GitHostError('invalid', `the git host refused this${because}`);
  return new GitHostError('unavailable', `the git host returned an unexpected status (${status}); try again later`);
}

/** Maps a network failure or timeout to a GitHostError. */
export function networkErrorOf(error: unknown, host: string): GitHostError {
  if (error instanceof GitHostError) return error;
  const { name, code, message } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError') return new GitHostError('unavailable', `the git host ${host} did not respond in time`);
  if (error instanceof OutboundError)
    return new GitHostError('unavailable', `the git host cannot be reached: ${message}`, { cause: error });
  return new GitHostError('unavailable', `the git host ${host} cannot be reached (${code ?? message})`, {
    cause: error,
  });
}

/** Returns the host's error message with tokens redacted. */
function reasonIn(body: string, secret: string | undefined): string {
  let said: unknown;
  try {
    const { message, errors } = JSON.parse(body) as { message?: unknown; errors?: { message?: unknown }[] };
    const details = Array.isArray(errors)
      ? errors.map((each) => each?.message).filter((each) => typeof each === 'string')
      : [];
    said = [message, ...details].filter((each) => typeof each === 'string').join(' ');
  } catch {
    // Not JSON: an HTML page, which has no reason to show.
    return '';
  }
  const plain = String(said).replaceAll(/\s+/g, ' ').trim();
  const hidden = secret ? plain.replaceAll(secret, '[hidden]') : plain;
  return hidden.replaceAll(tokenLike, '[hidden]').slice(0, longestReason);
}
