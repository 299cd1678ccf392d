import { GitHostError } from '../../../drivers/githost/errors.ts';
import { installAddress } from '../../../drivers/githost/github/addresses.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import { AppError } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { atGitHost } from '../refusals.ts';
import type { ListedRepository } from '../repositories/lists.ts';
import type { Repositories } from '../repositories/service.ts';
import { seesRepository } from '../repositories/visible.ts';
import { lookAtProgram } from './connect-facts.ts';
import type { ConnectUrls } from './connect-urls.ts';
import type { ConnectionStatus, ReachedAccount, State } from './status.ts';

type Options = {
  gitHost: GitHub;
  slug: () => Promise<string>;
  cloud: ConnectUrls | undefined;
  status: ConnectionStatus;
  callMs: number;
  repositories: Repositories;
};

type CloudSays = { installUrl: string | null; cloudUnreachable: boolean };

/** What pages show of the git host. Looking never fails, whatever the host does. */
export class Overviews {
  readonly #on: Options;

  constructor(options: Options) {
    this.#on = options;
  }

  async status(caller: Caller, origin: string): Promise<{ state: State; accounts: ReachedAccount[] } & CloudSays> {
    const { state, accounts } = await this.#on.status.overview(caller);
    return { state, accounts, ...(await this.#install(state, origin)) };
  }

  async home(caller: Caller): Promise<{ state: State; accounts: ReachedAccount[]; repos: ListedRepository[] }> {
    const { status, repositories } = this.#on;
    const { state, accounts, looked } = await status.overview(caller);
    const usable = looked.filter((each) => each.state.isUsable).map(({ source }) => source);
    const { repositories: all, errors } = await repositories.whatThereIs(usable);
    const isAway = usable.length > 0 && errors.length === usable.length;
    const repos = all.filter((each) => seesRepository(caller, each));
    return { state: isAway ? 'unavailable' : state, accounts, repos };
  }

  async local() {
    const { version, isSignedIn } = await atGitHost(() => lookAtProgram(this.#on));
    return {
      available: isSignedIn,
      installed: version !== undefined,
      signedIn: isSignedIn,
      version: version ?? null,
      hostname: this.#on.gitHost.program?.hostname ?? null,
    };
  }

  /** Null where only the host could tell, and does not. */
  async #installUrl(): Promise<string | null> {
    const { gitHost, slug } = this.#on;
    try {
      return installAddress(gitHost.addresses, await slug());
    } catch (error) {
      if (!(error instanceof GitHostError)) throw error;
      return null;
    }
  }

  /** The cloud is asked only where it is needed: nothing is connected, and nothing here could connect it. */
  async #install(state: State, origin: string): Promise<CloudSays> {
    const { gitHost, cloud } = this.#on;
    if (gitHost.app) return { installUrl: await this.#installUrl(), cloudUnreachable: false };
    if (!cloud || gitHost.oauth || state === 'connected') return { installUrl: null, cloudUnreachable: false };
    try {
      const installUrl = await cloud.connectUrl({ source: 'app', returnUrl: `${origin}/` });
      return { installUrl, cloudUnreachable: false };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { installUrl: null, cloudUnreachable: error.code === 'cloud_unreachable' };
    }
  }
}
