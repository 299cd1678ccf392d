import { type GitHubAddresses, gitHubAddresses } from './addresses.ts';
import { AppKey } from './app-key.ts';
import { GitHubApp } from './app.ts';
import { AppSource, type AppSourceOptions } from './app-source.ts';
import { CliSource } from './cli-source.ts';
import type { GitHubOptions } from './call.ts';
import { GitHubClient } from './client.ts';
import { beginDeviceFlow, type DeviceFlow, pollDeviceFlow } from './device-flow.ts';
import { GhProgram } from './gh-program.ts';
import { endInstallationToken } from './installation-tokens.ts';
import { LentApp, type Lender } from './lent-app.ts';
import { OAuthClient } from './oauth-client.ts';
import { OAuthSource, type TokenVault } from './oauth-source.ts';
import { Refreshes } from './refreshes.ts';
import type { GitHostCallOptions } from '../githost.ts';

export interface GitHubSettings extends Partial<GitHubAddresses>, Pick<GitHubOptions, 'reach' | 'ca'> {
  app?: { id: string; privateKey: string };
  oauth?: { clientId: string; clientSecret?: string };
  /** Only where the machine's owner is the one who asks. */
  cli?: { file: string; home: string; path: string; configDir?: string };
}

/** A GitHub with all the ways to it that are set up. One object for the whole service. */
export function createGitHub({ reach, ca, app, oauth, cli, ...given }: GitHubSettings) {
  const addresses = gitHubAddresses(given);
  const client = new GitHubClient({ ...addresses, reach, ...(ca && { ca }) });
  const ownApp = app && new GitHubApp(client, new AppKey(app.id, app.privateKey));
  const oauthClient = oauth && new OAuthClient({ client, clientSecret: undefined, ...oauth });
  const program = cli && new GhProgram({ ...cli, addresses });
  const refreshes = new Refreshes();
  const onRefresh = (refresh: Promise<unknown>) => refreshes.add(refresh);
  return {
    addresses,
    /** Undefined: not set up. */
    app: ownApp,
    oauth: oauthClient,
    program,
    /** Of our own app, unless it is said which. */
    appSource: ({
      app: which = ownApp,
      ...options
    }: Omit<AppSourceOptions, 'client' | 'app'> & Partial<Pick<AppSourceOptions, 'app'>>) =>
      which && new AppSource({ client, app: which, ...options }),
    /** An app whose key is elsewhere. */
    lentApp: (lender: Lender) => new LentApp(client, lender),
    endToken: (token: string, signal?: AbortSignal) => endInstallationToken(client, token, signal),
    oauthSource: (vault: TokenVault) =>
      oauthClient && new OAuthSource({ client, oauth: oauthClient, vault, onRefresh }),
    cliSource: () => program && new CliSource({ client, program }),
    deviceFlow: oauth && {
      begin: (options?: GitHostCallOptions) => beginDeviceFlow(client, oauth.clientId, options),
      poll: (flow: Pick<DeviceFlow, 'deviceCode' | 'intervalMs' | 'expiresAt'>, options?: GitHostCallOptions) =>
        pollDeviceFlow(client, oauth.clientId, flow, options),
    },
    /** Lets go of the host. A refresh that has begun ends first, if that does not take long: the old tokens are worth nothing. */
    close: async (): Promise<void> => {
      await refreshes.settled();
      client.close();
    },
  };
}

export type GitHub = ReturnType<typeof createGitHub>;
