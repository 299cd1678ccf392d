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
import { TokenRefreshes } from './token-refreshes.ts';
import type { GitHostCallOptions } from '../githost.ts';

export interface GitHubSettings extends Partial<GitHubAddresses>, Pick<GitHubOptions, 'reach' | 'ca'> {
  app?: { id: string; privateKey: string };
  oauth?: { clientId: string; clientSecret?: string };
  /** Set only when the caller owns this machine. */
  cli?: { file: string; home: string; path: string; configDir?: string };
}

/** Creates the GitHub driver with all configured kinds of connection. One object per process. */
export function createGitHub({ reach, ca, app, oauth, cli, ...given }: GitHubSettings) {
  const addresses = gitHubAddresses(given);
  const client = new GitHubClient({ ...addresses, reach, ...(ca && { ca }) });
  const ownApp = app && new GitHubApp(client, new AppKey(app.id, app.privateKey));
  const oauthClient = oauth && new OAuthClient({ client, clientSecret: undefined, ...oauth });
  const program = cli && new GhProgram({ ...cli, addresses });
  const refreshes = new TokenRefreshes();
  const onRefresh = (refresh: Promise<unknown>) => refreshes.add(refresh);
  return {
    addresses,
    /** Undefined if not configured, like `oauth` and `program`. */
    app: ownApp,
    oauth: oauthClient,
    program,
    /** Uses our own app unless another one is given. */
    appSource: ({
      app: which = ownApp,
      ...options
    }: Omit<AppSourceOptions, 'client' | 'app'> & Partial<Pick<AppSourceOptions, 'app'>>) =>
      which && new AppSource({ client, app: which, ...options }),
    /** App whose key is held by a lender. */
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
    /** Closes connections after waiting briefly for token refreshes, which have already invalidated the old tokens. */
    close: async (): Promise<void> => {
      await refreshes.settled();
      client.close();
    },
  };
}

export type GitHub = ReturnType<typeof createGitHub>;
