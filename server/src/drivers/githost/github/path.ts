import { GitHostError } from '../errors.ts';
import type { RepositoryName } from '../githost.ts';

/** A path of the API: whatever stands in it is one part of the path, never two, and never a way up. */
export function apiPath(parts: TemplateStringsArray, ...values: (string | number)[]): string {
  return parts.reduce((path, part, i) => path + segment(values[i - 1]!) + part);
}

/** `src/app` as it stands in an address. */
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

/** Names that no repository can have are not asked for. */
export function checkName({ owner, name }: RepositoryName): void {
  if (!isGitHubName(owner) || !isGitHubName(name))
    throw new GitHostError('not_found', 'this repository does not exist at the git host');
}

export const isGitHubName = (text: string): boolean => namePattern.test(text) && !/^\.{1,2}$/.test(text);

/** Hosts do not tell upper case from lower case in names. */
export const isSameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
