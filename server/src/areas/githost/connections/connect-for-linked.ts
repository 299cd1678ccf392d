import type { GitHub } from '../../../drivers/githost/github/github.ts';
import { AppError, forbidden } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { withGitHostErrors } from '../refusals.ts';
import { installPage } from './app-slug.ts';
import type { SignIns } from './sign-ins.ts';

type Options = {
  gitHost: GitHub;
  signIns: SignIns;
  slug: () => Promise<string>;
  /** Callback URL; undefined if the git host could not redirect there. */
  redirectUri: string | undefined;
};

/** Cloud mode: connects our app for an organization whose instance has none. */
export class ConnectForLinked {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Returns the URL for the browser. With `oauth` the app is installed already and a sign-in proves where. The user's
   * token is revoked in either case, since it grants everything that the user may do.
   */
  async begin(caller: Caller, source: 'app' | 'oauth', returnUrl: string): Promise<string> {
    if (caller.organization.role === 'restricted') throw forbidden('you cannot connect the git host');
    const { gitHost, signIns, redirectUri } = this.#options;
    if (!gitHost.app || !gitHost.oauth?.hasSecret || redirectUri === undefined)
      throw new AppError('not_configured', 'this cloud shares no git host app');
    const beginning = { caller, redirectUri, returnUrl };
    const { url } = await withGitHostErrors(() =>
      source === 'app' ? signIns.install(beginning) : signIns.showing(beginning),
    );
    return url;
  }

  /** Returns the URL to install the app for more accounts. */
  installUrl(): Promise<string | null> {
    return installPage(this.#options.gitHost, this.#options.slug);
  }
}
