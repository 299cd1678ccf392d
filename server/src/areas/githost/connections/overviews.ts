import type { GitHub } from '../../../drivers/githost/github/github.ts';
import type { Caller } from '../../../http/caller.ts';
import type { LentApps } from '../lent/service.ts';
import { withGitHostErrors } from '../refusals.ts';
import type { ListedRepository } from '../repositories/lists.ts';
import type { Repositories } from '../repositories/service.ts';
import { seesRepository } from '../repositories/visible.ts';
import { installPage } from './app-slug.ts';
import { checkHostProgram } from './connect-facts.ts';
import { cloudAnswerCacheMs } from './status.ts';
import type { ConnectionStatus, ReachedAccount, ConnectionState } from './status.ts';

type Options = {
  gitHost: GitHub;
  slug: () => Promise<string>;
  lent: LentApps;
  status: ConnectionStatus;
  callMs: number;
  repositories: Repositories;
};

type CloudSays = { installUrl: string | null; cloudUnreachable: boolean };

/** Overviews of the git host. They never fail, even if the git host does. */
export class Overviews {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  async status(caller: Caller): Promise<{ state: ConnectionState; accounts: ReachedAccount[] } & CloudSays> {
    const { state, accounts } = await this.#options.status.overview(caller);
    return { state, accounts, ...(await this.#install(caller, state)) };
  }

  async home(
    caller: Caller,
  ): Promise<{ state: ConnectionState; accounts: ReachedAccount[]; repos: ListedRepository[] }> {
    const { status, repositories } = this.#options;
    const { state, accounts, looked } = await status.overview(caller);
    const usable = looked.filter((each) => each.state.isUsable).map(({ source }) => source);
    const { repositories: all, errors } = await repositories.whatThereIs(usable);
    const isAway = usable.length > 0 && errors.length === usable.length;
    const repos = all.filter((each) => seesRepository(caller, each));
    return { state: isAway ? 'unavailable' : state, accounts, repos };
  }

  async local() {
    const { version, isSignedIn } = await withGitHostErrors(() => checkHostProgram(this.#options));
    return {
      available: isSignedIn,
      installed: version !== undefined,
      signedIn: isSignedIn,
      version: version ?? null,
      hostname: this.#options.gitHost.program?.hostname ?? null,
    };
  }

  /**
   * Queries the cloud only if its app is in use, or if nothing is connected and this instance has no method of its
   * own.
   */
  async #install({ organization: { id } }: Caller, state: ConnectionState): Promise<CloudSays> {
    const { gitHost, slug, lent } = this.#options;
    const nothing = { installUrl: null, cloudUnreachable: false };
    if (gitHost.app) return { ...nothing, installUrl: await installPage(gitHost, slug) };
    if (gitHost.oauth || !(await lent.isOpen(id))) return nothing;
    if (state === 'connected' && !(await lent.isUsed(id))) return nothing;
    const { overview, error } = await lent.look(id, cloudAnswerCacheMs);
    return { installUrl: overview?.installUrl ?? null, cloudUnreachable: error?.code === 'cloud_unreachable' };
  }
}
