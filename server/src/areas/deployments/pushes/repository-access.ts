import { GitHostError } from '../../../drivers/githost/errors.ts';
import type { CallOptions } from '../../../drivers/githost/githost.ts';
import type { GitHostSources, Reached } from '../../githost/sources.ts';
import type { GitHostSource } from '../model.ts';
import type { RepositoryAccess } from '../parts.ts';

const endingMs = 10_000;

/** A way to fetch one repository, with a credential that was made for it just now. */
export async function accessRepository(
  sources: GitHostSources,
  organizationId: string,
  { owner, repo, repositoryId }: Pick<GitHostSource, 'owner' | 'repo' | 'repositoryId'>,
  signal?: AbortSignal,
): Promise<RepositoryAccess> {
  const reached = await sources.reach(organizationId, { owner, name: repo }, signal);
  if (repositoryId !== null && reached.repository.id !== repositoryId)
    throw new GitHostError('not_found', `${owner}/${repo} is another repository than the one that was linked`);
  return accessReached(reached, { ...(signal && { signal }) });
}

export async function accessReached({ source, repository }: Reached, options: CallOptions): Promise<RepositoryAccess> {
  const credential = await source.cloneCredential(repository, options);
  return {
    url: credential.url,
    credential,
    // Also when the deployment was cancelled meanwhile.
    end: () => source.endCredential(credential, { signal: AbortSignal.timeout(endingMs) }),
  };
}
