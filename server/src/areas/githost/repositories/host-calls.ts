import { GitHostError } from '../../../drivers/githost/errors.ts';
import type { GitSource, RepositoryName } from '../../../drivers/githost/githost.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Action } from '../../../http/permission.ts';
import { withDeadline } from '../deadline.ts';
import { withGitHostErrors } from '../refusals.ts';
import { type GitHostSources, notConnected, type ReachedRepository } from '../sources.ts';
import { visibleRepository } from './visible.ts';

type Options = { sources: GitHostSources; callMs: number };

/** Calls to the git host for a caller, with timeout, error mapping and permission checks. */
export class HostCalls {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  at<T>(act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withGitHostErrors(() => withDeadline(this.#options.callMs, act));
  }

  /** Returns at least one source, or throws. */
  async sources({ organization }: Caller): Promise<GitSource[]> {
    const sources = await this.#options.sources.of(organization.id);
    if (!sources.length) throw new GitHostError('unauthorized', notConnected);
    return sources;
  }

  /** Runs `act` on a repository if the caller has the permission, with its canonical name. */
  with<T>(
    caller: Caller,
    name: RepositoryName,
    action: Action,
    act: (reached: ReachedRepository, canonical: RepositoryName, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.at(async (signal) => {
      const reached = await visibleRepository(this.#options.sources, caller, name, action, signal);
      const { owner, name: repository } = reached.repository;
      return act(reached, { owner, name: repository }, signal);
    });
  }
}
