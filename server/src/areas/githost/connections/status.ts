import type { Db } from '../../../db/database.ts';
import { isGitHostError } from '../../../drivers/githost/errors.ts';
import type { Account, GitSource, SourceKind, SourceState } from '../../../drivers/githost/githost.ts';
import type { Caller } from '../../../http/caller.ts';
import { withDeadline } from '../deadline.ts';
import type { Installations } from '../installations/service.ts';
import { seesAccount } from '../repositories/visible.ts';
import type { LentApps } from '../lent/service.ts';
import type { GitHostSources } from '../sources.ts';
import { selectConnectedSources, type ConnectedSource } from './store.ts';

type Options = {
  db: Db;
  sources: GitHostSources;
  installations: Installations;
  lent: LentApps;
  callMs: number;
};

/** How long an answer of the cloud is cached. */
export const cloudAnswerCacheMs = 2000;

export const connectionStates = ['connected', 'disconnected', 'suspended', 'signed_out', 'unavailable'] as const;
export type ConnectionState = (typeof connectionStates)[number];

/** An account and its sources, the preferred one first. */
export type ReachedAccount = Account & { sources: SourceKind[] };

/** A source and its state at the git host. */
export type SourceCheck = { source: GitSource; state: SourceState; accounts: Account[] };

/** Connection status of an organization. Never fails and never hangs, even if the git host does. */
export class ConnectionStatus {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  async overview(
    caller: Caller,
  ): Promise<{ state: ConnectionState; accounts: ReachedAccount[]; looked: SourceCheck[] }> {
    const { looked, ways } = await this.look(caller.organization.id);
    const accounts = united(looked).filter(({ login }) => seesAccount(caller, login));
    return { state: stateOf(looked, ways), accounts, looked };
  }

  async look(organizationId: string): Promise<{ looked: SourceCheck[]; ways: ConnectedSource[] }> {
    const { lent } = this.#options;
    // The user may have just connected in the cloud.
    if (await lent.isUsed(organizationId)) await lent.look(organizationId, cloudAnswerCacheMs);
    const ways = await this.#awake(organizationId);
    const looked = await Promise.all(
      this.#options.sources.from(organizationId, ways).map((each) => this.#lookAt(each)),
    );
    return { looked, ways };
  }

  async #lookAt(source: GitSource): Promise<SourceCheck> {
    const { callMs } = this.#options;
    try {
      const accounts = await withDeadline(callMs, (signal) => source.accounts({ signal }));
      const [first] = accounts;
      if (first) return { source, accounts, state: { isUsable: true, login: first.login } };
    } catch (error) {
      // An unreachable git host is not queried twice. Other errors are explained by the source's state below.
      if (isGitHostError(error, 'unavailable', 'rate_limited'))
        return { source, accounts: [], state: { isUsable: false, reason: 'unavailable', message: error.message } };
    }
    return { source, accounts: [], state: await this.#stateOf(source) };
  }

  #stateOf(source: GitSource): Promise<SourceState> {
    return withDeadline(this.#options.callMs, (signal) => source.state({ signal })).catch((error: Error) => {
      return { isUsable: false, reason: 'unavailable', message: error.message };
    });
  }

  /** Rechecks suspended installations, since a webhook about their resumption may be missing. */
  async #awake(organizationId: string): Promise<ConnectedSource[]> {
    const { db, installations, callMs } = this.#options;
    const ways = await selectConnectedSources(db, organizationId);
    const asleep = ways.filter(({ suspendedAt }) => suspendedAt !== null);
    if (!asleep.length) return ways;
    const looks = asleep.map(({ installationId: id }) =>
      withDeadline(callMs, (signal) => installations.look(id!, signal)),
    );
    // If the git host is unreachable, the stored state applies.
    await Promise.allSettled(looks);
    return selectConnectedSources(db, organizationId);
  }
}

/** Merges the accounts of all sources. */
function united(looked: SourceCheck[]): ReachedAccount[] {
  const all = new Map<string, ReachedAccount>();
  for (const { source, accounts } of looked)
    for (const account of accounts) {
      const key = account.login.toLowerCase();
      const known = all.get(key);
      if (known) known.sources.push(source.kind);
      else all.set(key, { ...account, sources: [source.kind] });
    }
  return [...all.values()];
}

/** One usable source is enough. Otherwise reports the most temporary problem first. */
function stateOf(looked: SourceCheck[], ways: ConnectedSource[]): ConnectionState {
  if (looked.some(({ state }) => state.isUsable)) return 'connected';
  const reasons = new Set<string>(looked.map(({ state }) => (state.isUsable ? '' : state.reason)));
  if (ways.some(({ suspendedAt }) => suspendedAt !== null)) reasons.add('suspended');
  const worst = (['unavailable', 'suspended', 'signed_out'] as const).find((reason) => reasons.has(reason));
  return worst ?? 'disconnected';
}
