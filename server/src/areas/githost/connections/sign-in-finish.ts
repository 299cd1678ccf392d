import { type Db, inTransaction, type Sql, type Trx } from '../../../db/database.ts';
import type { GithostSignInTable } from '../../../db/tables.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import type { OAuthTokens } from '../../../drivers/githost/github/oauth-answers.ts';
import type { GitHubInstallation } from '../../../drivers/githost/github/shapes.ts';
import { forbidden } from '../../../errors.ts';
import type { Sealer } from '../../../lib/seal.ts';
import {
  type AuditActor,
  lockOrganization,
  permissionsOfMember,
  recordAudit,
  selectMemberByUser,
} from '../../access/port.ts';
import type { Claim, Installations } from '../installations/service.ts';
import type { GitHostSources } from '../sources.ts';
import { unstoredTokens, keepAccount, provenInstallations, whoSignedIn } from './accounts.ts';
import { selectConnections } from './store.ts';
import { openTokens } from './vault.ts';

type Options = {
  db: Db;
  sealer: Sealer;
  gitHost: GitHub;
  sources: GitHostSources;
  installations: Installations;
  warn: (message: string) => void;
};

type Begun = Pick<GithostSignInTable, 'organizationId' | 'userId'>;
/** Marks the sign-in as used; false if it already was. */
type Settle = (trx: Trx) => Promise<boolean>;

type Keeping = { begun: Begun; tokens: OAuthTokens; ip: string; signal: AbortSignal; settle: Settle | undefined };
/** The connected account, and the accounts with claimed installations. */
type Kept = { login: string; installed: string[] };

/** Finishes sign-ins: stores the account and claims installations. */
export class SignInFinish {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Stores the account that signed in and claims the installations that it administers. */
  async keep(begun: Begun, tokens: OAuthTokens, ip: string, signal: AbortSignal, settle?: Settle): Promise<Kept> {
    try {
      return await this.#keep({ begun, tokens, ip, signal, settle });
    } catch (error) {
      this.giveBack(tokens);
      throw error;
    }
  }

  async #keep({ begun, tokens, ip, signal, settle }: Keeping): Promise<Kept> {
    const { db, sealer, gitHost } = this.#options;
    const account = await whoSignedIn(gitHost, tokens, signal);
    const found = gitHost.app ? await provenInstallations(account, signal) : [];
    const { installed, before } = await inTransaction(db, async (trx) => {
      await lockOrganization(trx, begun.organizationId);
      const actor = await this.requireMay(trx, begun, ip);
      if (settle && !(await settle(trx))) throw forbidden('this sign-in has already been used');
      const { organizationId, userId: connectedBy } = begun;
      const old = await selectConnections(trx, organizationId, ['oauth']);
      await keepAccount(trx, sealer, { organizationId, connectedBy, kind: 'oauth', login: account.login }, tokens);
      await noteConnected(trx, organizationId, actor, 'oauth', account.login);
      return { before: old, installed: await this.#claim(trx, begun, 'sign_in', found, actor) };
    });
    for (const { id, tokens: sealed } of before) {
      this.#options.sources.forget(id);
      if (sealed) this.giveBack(openTokens(sealer, id, sealed));
    }
    return { login: account.login, installed };
  }

  /** Returns the installations that the user administers, without storing the account. */
  async shown(tokens: OAuthTokens, signal: AbortSignal): Promise<{ login: string; found: GitHubInstallation[] }> {
    try {
      const account = await whoSignedIn(this.#options.gitHost, tokens, signal);
      return { login: account.login, found: await provenInstallations(account, signal) };
    } finally {
      this.giveBack(tokens);
    }
  }

  claim(begun: Begun, proof: Claim['proof'], found: GitHubInstallation[], ip: string): Promise<string[]> {
    return inTransaction(this.#options.db, async (trx) => {
      await lockOrganization(trx, begun.organizationId);
      return this.#claim(trx, begun, proof, found, await this.requireMay(trx, begun, ip));
    });
  }

  /** The user may have lost the permission in the meantime. */
  async requireMay(sql: Sql, { organizationId, userId }: Begun, ip: string): Promise<AuditActor> {
    const member = await selectMemberByUser(sql, organizationId, userId);
    const isAllowed = member && member.role !== 'restricted' && permissionsOfMember(member).has('githost:write');
    if (!isAllowed) throw forbidden('you can no longer connect the git host for this organization');
    return { userId, email: member.email, ip };
  }

  /** Revokes tokens that are not stored, if the git host allows it. */
  giveBack(tokens: OAuthTokens): void {
    const revoked = this.#options.gitHost.oauthSource(unstoredTokens(tokens))?.revoke() ?? Promise.resolve();
    revoked.catch((error: Error) => this.#options.warn(`a token was not revoked at the git host: ${error.message}`));
  }

  async #claim(trx: Trx, begun: Begun, proof: Claim['proof'], found: GitHubInstallation[], actor: AuditActor) {
    const claim = { organizationId: begun.organizationId, userId: begun.userId, proof };
    const logins = await this.#options.installations.claim(trx, claim, found);
    for (const login of logins) await noteConnected(trx, begun.organizationId, actor, 'app', login);
    return logins;
  }
}

export const noteConnected = (trx: Trx, organizationId: string, actor: AuditActor, source: string, login: string) =>
  recordAudit(trx, organizationId, actor, { action: 'githost.connected', details: { source, login } });
