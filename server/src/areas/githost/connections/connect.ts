import { type Db, inTransaction } from '../../../db/database.ts';
import { GitHostError } from '../../../drivers/githost/errors.ts';
import { shellCommandLine } from '../../../drivers/ssh/shell-quote.ts';
import { forbidden } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { lockOrganization } from '../../access/port.ts';
import { withDeadline } from '../deadline.ts';
import { withGitHostErrors } from '../refusals.ts';
import type { GitHostSources } from '../sources.ts';
import { keepAccount } from './accounts.ts';
import { connectFacts, type CallbackOrigin, type ConnectSetup } from './connect-facts.ts';
import { connectRefusals, isConnectRefusal, noApp } from './connect-refusals.ts';
import { type ConnectWay, chooseConnectWay } from './connect-table.ts';
import { noteConnected, type SignInFinish } from './sign-in-finish.ts';
import type { SignInRedirect, SignIns } from './sign-ins.ts';
import { type ConnectionStatus, cloudAnswerCacheMs } from './status.ts';

type Options = ConnectSetup & {
  db: Db;
  sealer: Sealer;
  sources: GitHostSources;
  signIns: SignIns;
  finish: SignInFinish;
  status: ConnectionStatus;
};

/** Next step for the caller. */
export type ConnectAnswer =
  | { connected: true }
  | ({ connected: false; flow: 'redirect' } & SignInRedirect)
  | {
      connected: false;
      flow: 'device_code';
      userCode: string;
      verificationUri: string;
      expiresAt: number;
      intervalMs: number;
    }
  | { connected: false; flow: 'terminal'; command: string; message: string };

const whereToRun = 'Run this on the machine that Mooring runs on, as the user it runs as, then connect again.';

/** `app` installs the app for another account, also when one is connected already. */
export type WantedSource = 'any' | 'oauth' | 'cli' | 'app';
type Asked = { caller: Caller; wanted: WantedSource; here: CallbackOrigin };
type OpenWay = Exclude<ConnectWay, keyof typeof connectRefusals>;

/** Connects the git host by the first applicable method of the table. */
export class Connect {
  readonly #options: Options;
  readonly #ways: Record<OpenWay, (asked: Asked) => Promise<ConnectAnswer> | ConnectAnswer>;

  constructor(options: Options) {
    this.#options = options;
    const { signIns } = options;
    this.#ways = {
      install: async ({ caller, here }) => sentTo(await signIns.install({ caller, redirectUri: here.redirectUri! })),
      claim: (asked) => this.#claim(asked),
      web: async ({ caller, here }) => sentTo(await signIns.web({ caller, redirectUri: here.redirectUri! })),
      device: ({ caller }) => this.#device(caller),
      cloud: (asked) => this.#cloud(asked),
      cli: ({ caller }) => this.#cli(caller),
      terminal: () => this.#terminal(),
      install_gh: () => this.#installGh(),
    };
  }

  async connect(caller: Caller, wanted: WantedSource, here: CallbackOrigin): Promise<ConnectAnswer> {
    if (caller.organization.role === 'restricted')
      throw forbidden('you have grants on single repositories and cannot connect accounts');
    const { hasApp, lent } = this.#options;
    if (wanted === 'app' && !hasApp && !(await lent.isOpen(caller.organization.id))) throw noApp();
    return withGitHostErrors(async () => {
      if (wanted !== 'app' && (await this.#isConnected(caller, wanted))) return { connected: true };
      const source = wanted === 'app' ? 'any' : wanted;
      const way = await chooseConnectWay(connectFacts(this.#options, caller, source, here));
      if (isConnectRefusal(way)) throw connectRefusals[way]();
      return this.#ways[way]({ caller, wanted, here });
    });
  }

  /** Throws if the git host is unreachable: there may be nothing left to connect. */
  async #isConnected({ organization }: Caller, wanted: WantedSource): Promise<boolean> {
    const { status, lent } = this.#options;
    const { looked } = await status.look(organization.id);
    const states = looked.filter(({ source }) => wanted === 'any' || source.kind === wanted).map(({ state }) => state);
    if (states.some(({ isUsable }) => isUsable)) return true;
    const away = states.find((state) => !state.isUsable && state.reason === 'unavailable');
    if (!away || away.isUsable) return false;
    const heard = (await lent.isUsed(organization.id))
      ? await lent.look(organization.id, cloudAnswerCacheMs)
      : undefined;
    throw heard?.error ?? new GitHostError('unavailable', away.message);
  }

  async #claim(asked: Asked): Promise<ConnectAnswer> {
    const { gitHost, finish, callMs } = this.#options;
    const { caller } = asked;
    const all = await withDeadline(callMs, (signal) => gitHost.app!.installations({ signal }));
    const begun = { organizationId: caller.organization.id, userId: caller.userId };
    const usable = all.filter(({ suspendedAt }) => suspendedAt === null);
    const claimed = await finish.claim(begun, 'instance_owner', usable, caller.ip);
    return claimed.length && asked.wanted !== 'app' ? { connected: true } : this.#ways.install(asked);
  }

  async #device(caller: Caller): Promise<ConnectAnswer> {
    const { gitHost, signIns, callMs } = this.#options;
    const flow = await withDeadline(callMs, (signal) => gitHost.deviceFlow!.begin({ signal }));
    await signIns.device(caller, flow);
    const { userCode, verificationUri, expiresAt, intervalMs } = flow;
    return { connected: false, flow: 'device_code', userCode, verificationUri, expiresAt, intervalMs };
  }

  /** Installations that the organization already has in the cloud need no browser. */
  async #cloud({ caller, wanted, here }: Asked): Promise<ConnectAnswer> {
    const { lent } = this.#options;
    if (wanted === 'any' && (await lent.take(caller))) return { connected: true };
    const source = wanted === 'oauth' ? 'oauth' : 'app';
    const url = await lent.begin(caller, { source, returnUrl: `${here.origin}/` });
    return sentTo({ url, nonce: undefined });
  }

  async #cli(caller: Caller): Promise<ConnectAnswer> {
    const { db, sealer, sources, callMs } = this.#options;
    const state = await withDeadline(callMs, (signal) => sources.machine()!.state({ signal }));
    if (!state.isUsable && state.reason === 'signed_out') return this.#terminal();
    if (!state.isUsable) throw new GitHostError('unavailable', state.message);
    const { login } = state;
    const organizationId = caller.organization.id;
    await inTransaction(db, async (trx) => {
      await lockOrganization(trx, organizationId);
      const account = { organizationId, connectedBy: caller.userId, kind: 'cli' as const, login };
      await keepAccount(trx, sealer, account, null);
      await noteConnected(trx, organizationId, caller, 'cli', login);
    });
    return { connected: true };
  }

  #installGh(): ConnectAnswer {
    const { program } = this.#options.gitHost;
    const install = program?.installCommand;
    const signIn = shellCommandLine(program?.signInCommand ?? ['gh', 'auth', 'login']);
    const command = install ? `${shellCommandLine(install)} && ${signIn}` : signIn;
    const first = install ? '' : ' Install it first: https://cli.github.com.';
    const missing = `gh, the git host's command-line client, is not installed on this machine (GITHOST_CLI is its path).${first}`;
    return { connected: false, flow: 'terminal', command, message: `${missing} ${whereToRun}` };
  }

  #terminal(): ConnectAnswer {
    const command = shellCommandLine(this.#options.gitHost.program!.signInCommand);
    return { connected: false, flow: 'terminal', command, message: whereToRun };
  }
}

const sentTo = (sent: SignInRedirect): ConnectAnswer => ({ connected: false, flow: 'redirect', ...sent });
