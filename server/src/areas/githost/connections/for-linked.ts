import type { GitHub } from '../../../drivers/githost/github/github.ts';
import { AppError, forbidden } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { atGitHost } from '../refusals.ts';
import { installPage } from './app-slug.ts';
import type { SignIns } from './sign-ins.ts';

type Options = {
  gitHost: GitHub;
  signIns: SignIns;
  slug: () => Promise<string>;
  /** Where the host sends browsers back to; undefined where it could not. */
  redirectUri: string | undefined;
};

/** In a cloud: connects our app for an organization whose instance is elsewhere, and has no app. */
export class ConnectForLinked {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Where the browser is sent. `oauth`: the app is installed already, and a sign-in shows where it is theirs. The token of
   * the person is given back in either case: it would be good for everything that they may do. */
  async begin(caller: Caller, source: 'app' | 'oauth', returnUrl: string): Promise<string> {
    if (caller.organization.role === 'restricted') throw forbidden('you cannot connect the git host');
    const { gitHost, signIns, redirectUri } = this.#options;
    if (!gitHost.app || !gitHost.oauth?.hasSecret || redirectUri === undefined)
      throw new AppError('not_configured', 'this cloud shares no git host app');
    const beginning = { caller, redirectUri, returnUrl };
    const { url } = await atGitHost(() => (source === 'app' ? signIns.install(beginning) : signIns.showing(beginning)));
    return url;
  }

  /** Where the app is installed for further accounts. */
  installUrl(): Promise<string | null> {
    return installPage(this.#options.gitHost, this.#options.slug);
  }
}
