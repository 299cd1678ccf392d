import { GitHostError } from '../errors.ts';
import type { RepositoryName } from '../githost.ts';

/** Builds an API path. Each value becomes exactly one segment, never `.` or `..`. */
export function apiPath(parts: TemplateStringsArray, ...values: (string | number)[]): string {
  return parts.reduce((path, part, i) => path + segment(values[i - 1]!) + part);
}

/** Encodes a file path such as `src/app` for a URL. */
export const filePath = (path: string): string =>
  path
    .split('/')
    .filter((part) => part && part !== '.')
    .map(segment)
    .join('/');

function segment(value: string | number): string {
  const text = String(value);
  // eslint-disable-next-line no-control-regex
  if (!text || text === '.' || text === '..' || /[\0-\x1f]/.test(text) || !text.isWellFormed())
    throw new GitHostError('not_found', 'this does not exist at the git host');
  return encodeURIComponent(text);
}

const namePattern = /^[\w.-]{1,100}$/;

/** Throws `not_found` for names that no repository can have. */
export function checkName({ owner, name }: RepositoryName): void {
  if (!isGitHubName(owner) || !isGitHubName(name))
    throw new GitHostError('not_found', 'this repository does not exist at the git host');
}

export const isGitHubName = (text: string): boolean => namePattern.test(text) && !/^\.{1,2}$/.test(text);

/** Names on the host are case-insensitive. */
export const isSameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
