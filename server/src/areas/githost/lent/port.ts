import type { InstallationToken, Narrowing } from '../../../drivers/githost/github/installation-tokens.ts';

/** A place where the cloud's app is installed, which is the organization's there. */
export interface LentInstallation {
  id: number;
  account: { id: number; login: string; type: 'user' | 'organization' };
  suspendedAt: number | null;
}

/** What the cloud says about its app. */
export interface LentOverview {
  /** The pages of the git host that it works with. */
  host: string;
  /** Where the app is installed for further accounts. */
  installUrl: string | null;
  installations: LentInstallation[];
}

/** Where a browser is wanted, and where it goes when it is done. */
export type ConnectWanted = { source: 'app' | 'oauth'; returnUrl: string };

/** What this area asks of the one that knows the hosted cloud: to connect by its app where this instance has none. */
export interface CloudGitHost {
  isLinked(organizationId: string): Promise<boolean>;
  /** Fails with an AppError: `cloud_unreachable`, or `not_configured` where the cloud says no. */
  connectUrl(organizationId: string, wanted: ConnectWanted): Promise<string>;
  /** Fails as `connectUrl` does. */
  overview(organizationId: string): Promise<LentOverview>;
  /** Fails with a GitHostError, as the host would. */
  mint(
    organizationId: string,
    installationId: number,
    narrowing: Narrowing | undefined,
    signal?: AbortSignal,
  ): Promise<InstallationToken>;
}
