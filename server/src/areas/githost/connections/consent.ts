import { z } from '../../../lib/zod/index.ts';
import type { Db } from '../../../db/database.ts';
import { storedJson } from '../../../db/stored-json.ts';
import type { GithostSignInTable } from '../../../db/tables.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import type { GitHubInstallation } from '../../../drivers/githost/github/shapes.ts';
import { selectOrganization } from '../../access/port.ts';
import { consentPage } from './callback-pages.ts';
import type { SignInFinish } from './sign-in-finish.ts';
import { callbackPath } from './nonce-cookie.ts';
import type { PageContent } from './result-page.ts';
import type { SignIns } from './sign-ins.ts';

type Options = { db: Db; gitHost: GitHub; signIns: SignIns; finish: SignInFinish };

/** Authorization code to exchange for a token. */
const Code = z.object({ code: z.string(), codeVerifier: z.string() });
export type SignInCode = z.infer<typeof Code>;

/** Consequence of the consent: exchange the code, or claim the installations. */
export type PendingConsent = SignInCode | { found: GitHubInstallation[] };
const Found = z.object({
  id: z.number(),
  account: z
    .object({
      id: z.number(),
      login: z.string(),
      type: z.enum(['user', 'organization']),
      avatarUrl: z.string().nullable(),
      webUrl: z.string(),
    })
    .nullable(),
  hasAllRepositories: z.boolean(),
  suspendedAt: z.number().nullable(),
}) satisfies z.ZodType<GitHubInstallation>;
/** Reads the opened secret of a `confirm` sign-in. */
export const readPendingConsent = storedJson(
  'githost_sign_ins.secret',
  z.union([Code, z.object({ found: z.array(Found) })]),
);

/**
 * Whether nothing binds the browser to the user who started, who may have sent a link around. Users of a self-hosted
 * instance trust each other, and API clients may open the link in any browser.
 */
export const isBrowserUnbound = (
  { nonceHash, returnUrl }: GithostSignInTable,
  mode: 'self-hosted' | 'cloud',
): boolean => returnUrl !== null || (nonceHash === null && mode === 'cloud');

/** Asks the user in the browser for consent. */
export class ConnectConsent {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Asks before the code is exchanged: without consent there is no token to revoke. */
  ofAccount(begun: GithostSignInTable, code: SignInCode) {
    const { host } = new URL(this.#options.gitHost.addresses.webUrl);
    const what = `You have signed in at ${host}, to connect your account there.`;
    return this.#ask(begun, code, { what, access: 'everything your account can access there' });
  }

  ofInstallations(begun: GithostSignInTable, login: string, found: GitHubInstallation[]) {
    const accounts = found.flatMap(({ account }) => (account ? [account.login] : []));
    const what = `${login} administers ${accounts.toSorted().join(', ')}, where the app is installed.`;
    return this.#ask(begun, { found }, { what, access: 'the repositories there' });
  }

  async #ask(
    begun: GithostSignInTable,
    agreeing: PendingConsent,
    words: { what: string; access: string },
  ): Promise<{ page: PageContent; nonce: string }> {
    const { db, signIns, finish } = this.#options;
    const { email } = await finish.requireMay(db, begun, '');
    const organization = (await selectOrganization(db, begun.organizationId))?.name ?? '';
    const { state, nonce } = await signIns.confirmation(begun, JSON.stringify(agreeing));
    const { origin } = new URL(begun.returnUrl ?? begun.redirectUri!);
    return {
      page: consentPage({ ...words, organization, email, origin, url: `${callbackPath}?state=${state}` }),
      nonce,
    };
  }
}
