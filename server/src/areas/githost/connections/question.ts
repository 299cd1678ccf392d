import { z } from 'zod';
import type { Db } from '../../../db/database.ts';
import { storedJson } from '../../../db/stored-json.ts';
import type { GithostSignInTable } from '../../../db/tables.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import type { Installation } from '../../../drivers/githost/github/shapes.ts';
import { selectOrganization } from '../../access/port.ts';
import { question } from './callback-pages.ts';
import type { SignInFinish } from './finish.ts';
import { callbackPath } from './nonce-cookie.ts';
import type { Result } from './result-page.ts';
import type { SignIns } from './sign-ins.ts';

type Options = { db: Db; gitHost: GitHub; signIns: SignIns; finish: SignInFinish };

/** What the host gives a token for. */
const Code = z.object({ code: z.string(), codeVerifier: z.string() });
export type Code = z.infer<typeof Code>;

/** What happens when somebody says yes: an account is kept, or installations that were shown to be theirs. */
export type ToAgree = Code | { found: Installation[] };
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
}) satisfies z.ZodType<Installation>;
/** The secret of a sign-in of the kind `confirm`, once it is opened. */
export const readToAgree = storedJson('githost_sign_ins.secret', z.union([Code, z.object({ found: z.array(Found) })]));

/** Whether nothing ties the browser to whoever began, which may be somebody who has sent a link around. People of a self-hosted
 * instance are no strangers to each other, and what they begin by a program works in whichever browser they open. */
export const mayBeAnybody = ({ nonceHash, returnUrl }: GithostSignInTable, mode: 'self-hosted' | 'cloud'): boolean =>
  returnUrl !== null || (nonceHash === null && mode === 'cloud');

/** Asks the person in front of a browser whether they want this. */
export class ConnectConsent {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Before there is a token: if nobody says yes, there is nothing that would have to be given back. */
  ofAccount(begun: GithostSignInTable, code: Code) {
    const { host } = new URL(this.#options.gitHost.addresses.webUrl);
    const what = `You have signed in at ${host}, to connect your account there.`;
    return this.#ask(begun, code, { what, access: 'everything your account can access there' });
  }

  ofInstallations(begun: GithostSignInTable, login: string, found: Installation[]) {
    const accounts = found.flatMap(({ account }) => (account ? [account.login] : []));
    const what = `${login} administers ${accounts.toSorted().join(', ')}, where the app is installed.`;
    return this.#ask(begun, { found }, { what, access: 'the repositories there' });
  }

  async #ask(
    begun: GithostSignInTable,
    agreeing: ToAgree,
    words: { what: string; access: string },
  ): Promise<{ page: Result; nonce: string }> {
    const { db, signIns, finish } = this.#options;
    const { email } = await finish.requireMay(db, begun, '');
    const organization = (await selectOrganization(db, begun.organizationId))?.name ?? '';
    const { state, nonce } = await signIns.confirmation(begun, JSON.stringify(agreeing));
    const { origin } = new URL(begun.returnUrl ?? begun.redirectUri!);
    return { page: question({ ...words, organization, email, origin, url: `${callbackPath}?state=${state}` }), nonce };
  }
}
