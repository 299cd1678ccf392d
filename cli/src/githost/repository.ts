import { UsageError } from '../errors.ts';

/** Parses `owner/repo`. */
export function repositoryIn(named: string): { owner: string; repo: string } {
  const [owner = '', repo = '', ...rest] = named.split('/');
  if (!owner || !repo || rest.length) throw new UsageError('name the repository as owner/repo');
  return { owner, repo };
}
