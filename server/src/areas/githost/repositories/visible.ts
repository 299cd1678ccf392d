import type { RepositoryName } from '../../../drivers/githost/githost.ts';
import { AppError, forbidden, notFound } from '../../../errors.ts';
import { type Caller, hasPermission } from '../../../http/caller.ts';
import type { Action } from '../../../http/permission.ts';
import { hasAccessTo, canSee } from '../../access/port.ts';
import { withGitHostErrors } from '../refusals.ts';
import type { GitHostSources, ReachedRepository } from '../sources.ts';

export const fullName = ({ owner, name }: RepositoryName): string => `${owner}/${name}`;

export const isRestricted = ({ organization }: Caller): boolean => organization.role === 'restricted';

export const seesRepository = (caller: Caller, repository: RepositoryName): boolean =>
  canSee(caller, 'repository', fullName(repository));

export const listsRepository = (caller: Caller, repository: RepositoryName): boolean =>
  hasAccessTo(caller, 'repository', fullName(repository), 'list');

/** Whether the caller has a grant on any repository of this account. */
export function seesAccount(caller: Caller, login: string): boolean {
  if (!isRestricted(caller)) return true;
  const own = `${login.toLowerCase()}/`;
  return caller.organization.grants.some(
    ({ resource, id }) => resource === 'repository' && id.toLowerCase().startsWith(own),
  );
}

/**
 * Returns the repository if the caller may do `action`; without any grant it is reported as not found. Checks the
 * canonical name, since an old name redirects to the current repository.
 */
export async function visibleRepository(
  sources: GitHostSources,
  caller: Caller,
  name: RepositoryName,
  action: Action,
  signal?: AbortSignal,
): Promise<ReachedRepository> {
  // Project links and deployments also come here, and their tokens may lack git host permissions.
  if (!hasPermission(caller, `githost:${action}`)) throw forbidden(`this needs the permission githost:${action}`);
  const reached = await withGitHostErrors(() => sources.reach(caller.organization.id, name, signal)).catch(
    (error: unknown) => {
      throw asSeenBy(caller, error);
    },
  );
  if (!seesRepository(caller, reached.repository)) throw notFound('repository');
  if (!hasAccessTo(caller, 'repository', fullName(reached.repository), action))
    throw forbidden(`you were not granted ${action} on this repository`);
  return reached;
}

/** A specific error would reveal that the repository exists, so restricted members get not found. */
function asSeenBy(caller: Caller, error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const tells = ['forbidden', 'conflict', 'bad_request'].includes(error.code);
  return error.code === 'not_found' || (tells && isRestricted(caller)) ? notFound('repository') : error;
}
