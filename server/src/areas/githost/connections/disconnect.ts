import { type Db, inTransaction } from '../../../db/database.ts';
import type { GithostSignInTable } from '../../../db/tables.ts';
import { GitHostError } from '../../../drivers/githost/errors.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import type { GitSource, SourceKind } from '../../../drivers/githost/githost.ts';
import { forbidden } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { recordAudit } from '../../access/port.ts';
import { withDeadline } from '../deadline.ts';
import { deleteInstallations } from '../installations/store.ts';
import type { LentApps } from '../lent/service.ts';
import type { CloneTokens } from '../repositories/clone-tokens.ts';
import type { GitHostSources } from '../sources.ts';
import { deleteSignIns } from './sign-in-store.ts';
import { deleteConnections, selectConnectedSources, type ConnectedSource } from './store.ts';

type Options = {
  db: Db;
  gitHost: GitHub;
  sources: GitHostSources;
  lent: LentApps;
  cloneTokens: CloneTokens;
  callMs: number;
};

export type Disconnected = {
  /** Sources that were disconnected. */
  sources: SourceKind[];
  /** Revocations that failed at the git host. Mooring has deleted the credentials regardless. */
  warnings: string[];
};

type Scope = 'oauth' | 'cli' | 'all';
const signInsOf: Record<Scope, GithostSignInTable['kind'][]> = {
  oauth: ['web', 'device', 'confirm'],
  cli: [],
  all: ['web', 'device', 'install', 'proof', 'confirm'],
};

/**
 * Disconnects sources. The app stays installed at the git host; `all` deletes the stored installations until the next
 * connect.
 */
export class Disconnect {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  async disconnect(caller: Caller, scope: Scope): Promise<Disconnected> {
    if (caller.organization.role === 'restricted')
      throw forbidden('you have grants on single repositories and cannot disconnect accounts');
    const { db, sources, lent } = this.#options;
    const organizationId = caller.organization.id;
    const ways = (await selectConnectedSources(db, organizationId)).filter(
      ({ kind }) => scope === 'all' || scope === kind,
    );
    const warnings = await this.#giveUp(organizationId, ways, scope);
    await inTransaction(db, async (trx) => {
      await deleteConnections(trx, organizationId, scope === 'all' ? ['oauth', 'cli'] : [scope]);
      if (scope === 'all') await lent.drop(trx, organizationId);
      if (scope === 'all') await deleteInstallations(trx, organizationId);
      if (signInsOf[scope].length) await deleteSignIns(trx, organizationId, signInsOf[scope]);
      const details = { source: scope, accounts: ways.map(({ kind, login }) => `${kind} ${login}`).join(', ') };
      await recordAudit(trx, organizationId, caller, { action: 'githost.disconnected', details });
    });
    for (const { id } of ways) sources.forget(id);
    if (scope === 'all') lent.forget(organizationId);
    return { sources: [...new Set(ways.map(({ kind }) => kind))], warnings };
  }

  /** Revokes at the git host, while the credentials still exist. */
  async #giveUp(organizationId: string, ways: ConnectedSource[], scope: Scope): Promise<string[]> {
    const { sources, cloneTokens, gitHost } = this.#options;
    const ended = scope === 'all' ? [this.#try('clone tokens', () => cloneTokens.endAll(organizationId))] : [];
    const revoked = sources
      .from(organizationId, ways)
      .map((source: GitSource) => this.#try(source.kind, (signal) => source.revoke({ signal })));
    const warnings = (await Promise.all([...ended, ...revoked])).filter((each) => each !== undefined);
    const isKeptThere = ways.some(({ kind }) => kind === 'oauth') && !gitHost.oauth?.hasSecret;
    return isKeptThere ? [...warnings, withoutSecret] : warnings;
  }

  async #try(what: string, act: (signal: AbortSignal) => Promise<void>): Promise<string | undefined> {
    try {
      await withDeadline(this.#options.callMs, act);
      return undefined;
    } catch (error) {
      if (!(error instanceof GitHostError)) throw error;
      return `${what}: ${error.message}`;
    }
  }
}

const withoutSecret =
  'oauth: without the secret of the OAuth client its token cannot be revoked; revoke it in the settings of the git host';
