import { GitHostError } from '../../../drivers/githost/errors.ts';
import type { GitHostCallOptions } from '../../../drivers/githost/githost.ts';
import type { GitHostSources, Reached } from '../../githost/port.ts';
import type { GitHostSource } from '../model/model.ts';
import type { RepositoryAccess } from '../model/parts.ts';

const endingMs = 10_000;

type Linked = Pick<GitHostSource, 'owner' | 'repo' | 'repositoryId'>;

/** A way to fetch one repository, with a credential that was made for it just now. */
export async function accessRepository(
  sources: GitHostSources,
  organizationId: string,
  linked: Linked,
  signal: AbortSignal,
): Promise<RepositoryAccess> {
  return accessReached(await reachThat(sources, organizationId, linked, signal), { signal });
}

/** The repository that was linked, whatever it is called by now; not another one that has its name. One that nobody could
 * ask about then has to have the name that was allowed. */
export async function reachThat(
  sources: GitHostSources,
  organizationId: string,
  { owner, repo, repositoryId }: Linked,
  signal?: AbortSignal,
): Promise<Reached> {
  const reached = await sources.reach(organizationId, { owner, name: repo }, signal);
  const { repository } = reached;
  const wanted = `${owner}/${repo}`;
  const isSameName = `${repository.owner}/${repository.name}`.toLowerCase() === wanted.toLowerCase();
  if (repositoryId === null ? isSameName : repository.id === repositoryId) return reached;
  throw new GitHostError('not_found', `${wanted} is a different repository from the one that was linked`);
}

export async function accessReached(
  { source, repository }: Reached,
  options: GitHostCallOptions,
): Promise<RepositoryAccess> {
  const credential = await source.cloneCredential(repository, options);
  return {
    url: credential.url,
    credential,
    // Also when the deployment was cancelled meanwhile.
    end: () => source.endCredential(credential, { signal: AbortSignal.timeout(endingMs) }),
  };
}
