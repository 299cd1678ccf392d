import { timingSafeEqual } from 'node:crypto';
import type { Db } from '../../../db/database.ts';
import type { GithostSignInTable } from '../../../db/tables.ts';
import { isGitHostError } from '../../../drivers/githost/errors.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import type { OAuthTokens } from '../../../drivers/githost/github/oauth-answers.ts';
import type { GitHubInstallation } from '../../../drivers/githost/github/shapes.ts';
import { AppError } from '../../../errors.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { hashSecret } from '../../../lib/secrets.ts';
import { withDeadline } from '../deadline.ts';
import {
  approvalRequestedPage,
  declinedPage,
  installedFor,
  unknownSignInPage,
  unverifiedOwnerPage,
  notAdministeredPage,
  otherBrowserPage,
  pageSentence,
  expiredSignInPage,
} from './callback-pages.ts';
import type { SignInFinish } from './sign-in-finish.ts';
import { type SignInCode, isBrowserUnbound, type ConnectConsent, readPendingConsent } from './consent.ts';
import { connectedPage, failurePage, type PageContent } from './result-page.ts';
import { selectSignInByState, claimSignIn } from './sign-in-store.ts';
import { signInSecretLocation, type SignIns } from './sign-ins.ts';

type Options = {
  db: Db;
  sealer: Sealer;
  gitHost: GitHub;
  mode: 'self-hosted' | 'cloud';
  callMs: number;
  signIns: SignIns;
  finish: SignInFinish;
  question: ConnectConsent;
};

/** Query and cookie of the callback. Only the state is trusted, and only once. */
export type HostCallback = Partial<Record<'state' | 'code' | 'error' | 'setupAction' | 'nonce', string>> & {
  ip: string;
};

/** A page with a link back, or a redirect. */
export type CallbackResponse = { page: PageContent; back?: string | null; nonce?: string } | { url: string };

/** `isDone` redirects a browser that came from another instance back there. */
type Outcome = { page: PageContent; nonce?: string; isDone?: true } | { url: string };

/** Finishes a browser sign-in or an installation. There is no session: the state identifies the user who started. */
export class Callback {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** On success, users of another instance are redirected back there; on failure the page links there. */
  async handle(brought: HostCallback): Promise<CallbackResponse> {
    const begun = await this.#take(brought);
    if ('status' in begun) return { page: begun };
    const next = await this.#next(begun, brought);
    const { returnUrl: back } = begun;
    if ('url' in next || back === null) return next;
    return next.isDone ? { url: back } : { ...next, back };
  }

  async #next(begun: GithostSignInTable, brought: HostCallback): Promise<Outcome> {
    try {
      await this.#options.finish.requireMay(this.#options.db, begun, brought.ip);
      if (brought.error !== undefined) return { page: declinedPage(brought.error) };
      return await withDeadline(this.#options.callMs, (signal) => this.#finish(begun, brought, signal));
    } catch (error) {
      const { message } = error as Error;
      if (isGitHostError(error)) return { page: failurePage('Not connected', pageSentence(message)) };
      if (error instanceof AppError) return { page: failurePage('Not connected', pageSentence(message)) };
      throw error;
    }
  }

  /** Returns the sign-in of the state and deletes it, whatever the outcome. */
  async #take({ state, nonce }: HostCallback): Promise<GithostSignInTable | PageContent> {
    const { db } = this.#options;
    if (!state || !/^[A-Za-z0-9_-]{43}$/.test(state)) return unknownSignInPage;
    const row = await selectSignInByState(db, hashSecret(state));
    if (!row || !(await claimSignIn(db, row.organizationId, row.id))) return unknownSignInPage;
    if (row.expiresAt <= Date.now()) return expiredSignInPage;
    if (row.nonceHash !== null && !isSame(row.nonceHash, nonce)) return otherBrowserPage;
    return row;
  }

  async #finish(begun: GithostSignInTable, brought: HostCallback, signal: AbortSignal): Promise<Outcome> {
    if (begun.kind === 'install') return this.#installed(begun, brought, signal);
    if (begun.kind === 'confirm') return this.#agreed(begun, brought, signal);
    const { question, finish, mode } = this.#options;
    const isAnybody = isBrowserUnbound(begun, mode);
    const code = { code: codeIn(brought), codeVerifier: this.#open(begun) };
    if (begun.kind === 'web' && isAnybody) return question.ofAccount(begun, code);
    const tokens = await this.#exchange(begun, code, signal);
    if (begun.kind === 'web') return this.#kept(begun, tokens, brought, signal);
    const { login, found } = await finish.shown(tokens, signal);
    return isAnybody && found.length
      ? question.ofInstallations(begun, login, found)
      : this.#claimed(begun, found, brought);
  }

  /** The user has given consent. */
  async #agreed(begun: GithostSignInTable, brought: HostCallback, signal: AbortSignal): Promise<Outcome> {
    const agreed = readPendingConsent(this.#open(begun));
    if ('found' in agreed) return this.#claimed(begun, agreed.found, brought);
    return this.#kept(begun, await this.#exchange(begun, agreed, signal), brought, signal);
  }

  async #kept(
    begun: GithostSignInTable,
    tokens: OAuthTokens,
    { ip }: HostCallback,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { login, installed } = await this.#options.finish.keep(begun, tokens, ip, signal);
    const lines = installed.length ? [installedFor(installed)] : [];
    return { page: connectedPage(`The account ${login} is connected.`, ...lines) };
  }

  async #claimed(begun: GithostSignInTable, found: GitHubInstallation[], { ip }: HostCallback): Promise<Outcome> {
    const logins = await this.#options.finish.claim(begun, 'sign_in', found, ip);
    return logins.length ? { page: connectedPage(installedFor(logins)), isDone: true } : { page: notAdministeredPage };
  }

  #open({ secret, id }: GithostSignInTable): string {
    return this.#options.sealer.open(secret!, signInSecretLocation(id));
  }

  /** Ignores the installation id in the query, which could be anyone's. */
  async #installed(begun: GithostSignInTable, brought: HostCallback, signal: AbortSignal): Promise<Outcome> {
    const { gitHost, mode, signIns, finish } = this.#options;
    if (brought.setupAction === 'request') return { page: approvalRequestedPage };
    if (gitHost.oauth?.hasSecret) return { url: await signIns.proof(begun) };
    if (mode !== 'self-hosted' || !begun.mayClaim || !gitHost.app) return { page: unverifiedOwnerPage };
    const all = await gitHost.app.installations({ signal });
    const logins = await finish.claim(begun, 'instance_owner', all, brought.ip);
    return { page: logins.length ? connectedPage(installedFor(logins)) : notAdministeredPage };
  }

  async #exchange({ redirectUri }: GithostSignInTable, code: SignInCode, signal: AbortSignal): Promise<OAuthTokens> {
    const { gitHost } = this.#options;
    if (!gitHost.oauth) throw new AppError('not_configured', 'the OAuth client is no longer configured');
    return gitHost.oauth.exchange({ ...code, redirectUri: redirectUri! }, { signal });
  }
}

function codeIn({ code }: HostCallback): string {
  if (!code || code.length > 500) throw new AppError('bad_request', 'the git host sent no code');
  return code;
}

const isSame = (stored: string, nonce: string | undefined): boolean =>
  nonce !== undefined && timingSafeEqual(Buffer.from(stored), Buffer.from(hashSecret(nonce)));
