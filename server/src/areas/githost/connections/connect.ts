import { type Db, inTransaction } from '../../../db/database.ts';
import { GitHostError } from '../../../drivers/githost/errors.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import { quotedLine } from '../../../drivers/ssh/quote.ts';
import { AppError, badRequest, forbidden } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { inTime } from '../deadline.ts';
import { atGitHost } from '../refusals.ts';
import type { GitHostSources } from '../sources.ts';
import { keepAccount } from './accounts.ts';
import { type ConnectFacts, type ConnectWay, wayToConnect } from './connect-table.ts';
import type { ConnectUrls } from './connect-urls.ts';
import { noteConnected, type SignInFinish } from './finish.ts';
import type { Sent, SignIns } from './sign-ins.ts';
import type { ConnectionStatus } from './status.ts';

export type ConnectOptions = {
  db: Db;
  sealer: Sealer;
  gitHost: GitHub;
  mode: 'self-hosted' | 'cloud';
  /** Whether people can be sent to where the app is installed. */
  hasApp: boolean;
  cloud: ConnectUrls | undefined;
  callMs: number;
  sources: GitHostSources;
  signIns: SignIns;
  finish: SignInFinish;
  status: ConnectionStatus;
};

/** Where we are, seen from whoever asks; `redirectUri` is undefined where a browser could not come back. */
export type Here = { origin: string; redirectUri: string | undefined };

/** What the caller does next. */
export type ConnectAnswer =
  | { connected: true }
  | ({ connected: false; flow: 'redirect' } & Sent)
  | {
      connected: false;
      flow: 'device_code';
      userCode: string;
      verificationUri: string;
      expiresAt: number;
      intervalMs: number;
    }
  | { connected: false; flow: 'terminal'; command: string; message: string };

type Asked = { caller: Caller; source: ConnectFacts['source']; here: Here };

/** Connects the git host for an organization, by the first way of the table that is open. */
export class Connect {
  readonly #on: ConnectOptions;
  readonly #ways: Record<ConnectWay, (asked: Asked) => Promise<ConnectAnswer> | ConnectAnswer>;

  constructor(options: ConnectOptions) {
    this.#on = options;
    const { signIns } = options;
    this.#ways = {
      install: async ({ caller, here }) => sentTo(await signIns.install({ caller, redirectUri: here.redirectUri! })),
      claim: (asked) => this.#claim(asked),
      web: async ({ caller, here }) => sentTo(await signIns.web({ caller, redirectUri: here.redirectUri! })),
      device: ({ caller }) => this.#device(caller),
      cloud: (asked) => this.#cloud(asked),
      cli: ({ caller }) => this.#cli(caller),
      terminal: () => this.#terminal(),
      only_owner: () => refuse(forbidden("the sign-in of this machine's owner can only be used by the instance owner")),
      no_cli_in_cloud: () => refuse(badRequest('source cli is not available in cloud mode', 'source')),
      no_gh: () =>
        refuse(notConfigured(`the git host's program is not on this machine; install it, or set GITHOST_CLI`)),
      no_proof: () => refuse(notConfigured(needsSecret)),
      no_client: () =>
        refuse(notConfigured('there is no OAuth client; set GITHOST_CLIENT_ID and GITHOST_CLIENT_SECRET')),
      nothing: () => refuse(notConfigured(nothingSetUp)),
    };
  }

  async connect(caller: Caller, source: ConnectFacts['source'], here: Here): Promise<ConnectAnswer> {
    if (caller.organization.role === 'restricted')
      throw forbidden('you may work with the repositories you were granted, not connect accounts');
    return atGitHost(async () => {
      if (await this.#isConnected(caller, source)) return { connected: true };
      const way = await wayToConnect(this.#facts(caller, source, here));
      return this.#ways[way]({ caller, source, here });
    });
  }

  /** Whether the host's program is there, and somebody signed in with it. */
  async program(): Promise<{ version: string | undefined; isSignedIn: boolean }> {
    const { gitHost, callMs } = this.#on;
    const { program } = gitHost;
    if (!program) return { version: undefined, isSignedIn: false };
    return inTime(callMs, async (signal) => {
      const version = await program.version({ signal });
      return { version, isSignedIn: version !== undefined && (await program.isSignedIn({ signal })) };
    });
  }

  /** Where the host is away, nobody is sent anywhere: there may be nothing to connect. */
  async #isConnected({ organization }: Caller, source: ConnectFacts['source']): Promise<boolean> {
    const { looked } = await this.#on.status.look(organization.id);
    const wanted = looked.filter((each) => source === 'any' || each.source.kind === source);
    if (wanted.some(({ state }) => state.isUsable)) return true;
    const away = wanted.map(({ state }) => state).find((state) => !state.isUsable && state.reason === 'unavailable');
    if (away && !away.isUsable) throw new GitHostError('unavailable', away.message);
    return false;
  }

  #facts(caller: Caller, source: ConnectFacts['source'], { redirectUri }: Here) {
    const { gitHost, mode, hasApp, cloud } = this.#on;
    const yes = (is: boolean) => (is ? 'yes' : 'no');
    return {
      source: () => source,
      mode: () => mode,
      app: () => yes(hasApp),
      client: () => (!gitHost.oauth ? 'none' : gitHost.oauth.hasSecret ? 'secret' : 'id'),
      redirect: () => yes(redirectUri !== undefined),
      owner: () => yes(caller.isInstanceOwner),
      cloud: () => yes(cloud !== undefined),
      gh: async () => {
        const { version, isSignedIn } = await this.program();
        return version === undefined ? 'missing' : isSignedIn ? 'signed_in' : 'signed_out';
      },
    } as const;
  }

  async #claim(asked: Asked): Promise<ConnectAnswer> {
    const { gitHost, finish, callMs } = this.#on;
    const { caller } = asked;
    const all = await inTime(callMs, (signal) => gitHost.app!.installations({ signal }));
    const begun = { organization_id: caller.organization.id, user_id: caller.userId };
    const usable = all.filter(({ suspendedAt }) => suspendedAt === null);
    const claimed = await finish.claim(begun, 'instance_owner', usable, caller.ip);
    return claimed.length ? { connected: true } : this.#ways.install(asked);
  }

  async #device(caller: Caller): Promise<ConnectAnswer> {
    const { gitHost, signIns, callMs } = this.#on;
    const flow = await inTime(callMs, (signal) => gitHost.deviceFlow!.begin({ signal }));
    await signIns.device(caller, flow);
    const { userCode, verificationUri, expiresAt, intervalMs } = flow;
    return { connected: false, flow: 'device_code', userCode, verificationUri, expiresAt, intervalMs };
  }

  async #cloud({ source, here }: Asked): Promise<ConnectAnswer> {
    const kind = source === 'any' ? 'app' : 'oauth';
    const url = await this.#on.cloud!.connectUrl({ source: kind, returnUrl: `${here.origin}/` });
    return sentTo({ url, nonce: undefined });
  }

  async #cli(caller: Caller): Promise<ConnectAnswer> {
    const { db, sealer, sources, callMs } = this.#on;
    const state = await inTime(callMs, (signal) => sources.machine()!.state({ signal }));
    if (!state.isUsable && state.reason === 'signed_out') return this.#terminal();
    if (!state.isUsable) throw new GitHostError('unavailable', state.message);
    const { login } = state;
    const organizationId = caller.organization.id;
    await inTransaction(db, async (trx) => {
      const account = { organization_id: organizationId, connected_by: caller.userId, kind: 'cli', login };
      await keepAccount(trx, sealer, account, null);
      await noteConnected(trx, organizationId, caller, 'cli', login);
    });
    return { connected: true };
  }

  #terminal(): ConnectAnswer {
    const command = quotedLine(this.#on.gitHost.program!.signInCommand);
    const message = 'Run this on the machine that Mooring runs on, as the user it runs as, then connect again.';
    return { connected: false, flow: 'terminal', command, message };
  }
}

const sentTo = (sent: Sent): ConnectAnswer => ({ connected: false, flow: 'redirect', ...sent });
const notConfigured = (sentence: string) => new AppError('not_configured', sentence);

function refuse(error: AppError): never {
  throw error;
}

const needsSecret =
  'whose installation of the app it is, only a sign-in can show; set GITHOST_CLIENT_ID and GITHOST_CLIENT_SECRET to those of the app';
const nothingSetUp =
  'there is no way to the git host yet; set up an app (GITHOST_APP_ID) or an OAuth client (GITHOST_CLIENT_ID), or install gh on this machine';
