import { forbidden, notFound } from '../../errors.ts';
import { type Caller, may } from '../../http/caller.ts';
import type { Action } from '../../http/permission.ts';
import { mayOn, seesOne } from '../access/grants.ts';
import { atGitHost } from './refusals.ts';
import type { GitHostSources, Reached } from './sources.ts';

/** The repository if the caller may do `action` to it, with the way to it. What somebody was not granted is not there for
 * them, whatever the organization's own connection could see. */
export async function visibleRepository(
  sources: GitHostSources,
  caller: Caller,
  { owner, repo }: { owner: string; repo: string },
  action: Action,
): Promise<Reached> {
  // A token for projects alone does not read repositories by way of them.
  if (!may(caller, `githost:${action}`)) throw forbidden(`this needs the permission githost:${action}`);
  if (!seesOne(caller, 'repository', `${owner}/${repo}`)) throw notFound('repository');
  const reached = await atGitHost(() => sources.reach(caller.organization.id, { owner, name: repo }));
  // As the host names it: an old name leads to a repository that is called something else by now.
  const name = `${reached.repository.owner}/${reached.repository.name}`;
  if (!seesOne(caller, 'repository', name)) throw notFound('repository');
  if (!mayOn(caller, 'repository', name, action)) throw forbidden(`you were not granted ${action} on this repository`);
  return reached;
}
