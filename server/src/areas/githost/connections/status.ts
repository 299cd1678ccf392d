import type { Db } from '../../../db/database.ts';
import { isGitHostError } from '../../../drivers/githost/errors.ts';
import type { Account, GitSource, SourceKind, SourceState } from '../../../drivers/githost/githost.ts';
import type { Caller } from '../../../http/caller.ts';
import { withDeadline } from '../deadline.ts';
import type { Installations } from '../installations/service.ts';
import { seesAccount } from '../repositories/visible.ts';
import type { LentApps } from '../lent/service.ts';
import type { GitHostSources } from '../sources.ts';
import { selectWays, type Way } from './store.ts';

type Options = {
  db: Db;
  sources: GitHostSources;
  installations: Installations;
  lent: LentApps;
  callMs: number;
};

/** What the cloud said so long ago is good enough. */
export const heardMs = 2000;

export const states = ['connected', 'disconnected', 'suspended', 'signed_out', 'unavailable'] as const;
export type State = (typeof states)[number];

/** An account together with the ways to it, the preferred one first. */
export type ReachedAccount = Account & { sources: SourceKind[] };

/** One source, and whether the host agrees that it is one. */
export type Looked = { source: GitSource; state: SourceState; accounts: Account[] };

/** How an organization stands with the git host. Looking never fails and never hangs, whatever the host does. */
export class ConnectionStatus {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  async overview(caller: Caller): Promise<{ state: State; accounts: ReachedAccount[]; looked: Looked[] }> {
    const { looked, ways } = await this.look(caller.organization.id);
    const accounts = united(looked).filter(({ login }) => seesAccount(caller, login));
    return { state: stateOf(looked, ways), accounts, looked };
  }

  async look(organizationId: string): Promise<{ looked: Looked[]; ways: Way[] }> {
    const { lent } = this.#options;
    // Somebody may have just come back from connecting it there.
    if (await lent.isUsed(organizationId)) await lent.look(organizationId, heardMs);
    const ways = await this.#awake(organizationId);
    const looked = await Promise.all(
      this.#options.sources.from(organizationId, ways).map((each) => this.#lookAt(each)),
    );
    return { looked, ways };
  }

  async #lookAt(source: GitSource): Promise<Looked> {
    const { callMs } = this.#options;
    try {
      const accounts = await withDeadline(callMs, (signal) => source.accounts({ signal }));
      const [first] = accounts;
      if (first) return { source, accounts, state: { isUsable: true, login: first.login } };
    } catch (error) {
      // A host that is away is not asked a second time. What else there is, the source itself says, below.
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

  /** Those that slept when they were last heard of may be awake again, and nobody has told us. */
  async #awake(organizationId: string): Promise<Way[]> {
    const { db, installations, callMs } = this.#options;
    const ways = await selectWays(db, organizationId);
    const asleep = ways.filter(({ suspendedAt }) => suspendedAt !== null);
    if (!asleep.length) return ways;
    const looks = asleep.map(({ installationId: id }) =>
      withDeadline(callMs, (signal) => installations.look(id!, signal)),
    );
    // A host that is away says nothing about it: then they are taken for what they were.
    await Promise.allSettled(looks);
    return selectWays(db, organizationId);
  }
}

/** Each account once, however many ways there are to it. */
function united(looked: Looked[]): ReachedAccount[] {
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

/** One that works is enough. Else what is most likely to pass by itself is said first. */
function stateOf(looked: Looked[], ways: Way[]): State {
  if (looked.some(({ state }) => state.isUsable)) return 'connected';
  const reasons = new Set<string>(looked.map(({ state }) => (state.isUsable ? '' : state.reason)));
  if (ways.some(({ suspendedAt }) => suspendedAt !== null)) reasons.add('suspended');
  const worst = (['unavailable', 'suspended', 'signed_out'] as const).find((reason) => reasons.has(reason));
  return worst ?? 'disconnected';
}
