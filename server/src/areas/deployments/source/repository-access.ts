import { GitHostError } from '../../../drivers/githost/errors.ts';
import type { GitHostCallOptions } from '../../../drivers/githost/githost.ts';
import type { GitHostSources, ReachedRepository } from '../../githost/port.ts';
import type { GitHostSource } from '../model/model.ts';
import type { RepositoryAccess } from '../model/parts.ts';

const endingMs = 10_000;

type Linked = Pick<GitHostSource, 'owner' | 'repo' | 'repositoryId'>;

/** Issues a new credential for one repository. */
export async function accessRepository(
  sources: GitHostSources,
  organizationId: string,
  linked: Linked,
  signal: AbortSignal,
): Promise<RepositoryAccess> {
  return accessReached(await reachRepository(sources, organizationId, linked, signal), { signal });
}

/**
 * Finds the linked repository by id, even if it was renamed. If the id was unknown when it was linked, its name must
 * match.
 */
export async function reachRepository(
  sources: GitHostSources,
  organizationId: string,
  { owner, repo, repositoryId }: Linked,
  signal?: AbortSignal,
): Promise<ReachedRepository> {
  const reached = await sources.reach(organizationId, { owner, name: repo }, signal);
  const { repository } = reached;
  const wanted = `${owner}/${repo}`;
  const isSameName = `${repository.owner}/${repository.name}`.toLowerCase() === wanted.toLowerCase();
  if (repositoryId === null ? isSameName : repository.id === repositoryId) return reached;
  throw new GitHostError('not_found', `${wanted} is a different repository from the one that was linked`);
}

export async function accessReached(
  { source, repository }: ReachedRepository,
  options: GitHostCallOptions,
): Promise<RepositoryAccess> {
  const credential = await source.cloneCredential(repository, options);
  return {
    url: credential.url,
    credential,
    // Uses its own timeout, since the deployment's signal may be aborted by now.
    end: () => source.endCredential(credential, { signal: AbortSignal.timeout(endingMs) }),
  };
}
