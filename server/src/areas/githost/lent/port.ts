import type { InstallationToken, TokenScope } from '../../../drivers/githost/github/installation-tokens.ts';

/** An installation of the cloud's app that belongs to the organization there. */
export interface LentInstallation {
  id: number;
  account: { id: number; login: string; type: 'user' | 'organization' };
  suspendedAt: number | null;
}

/** State of the cloud's app. */
export interface LentOverview {
  /** Web URL of the git host. */
  host: string;
  /** URL to install the app for more accounts. */
  installUrl: string | null;
  installations: LentInstallation[];
}

/** Source to connect, and the URL that the browser returns to. */
export type ConnectWanted = { source: 'app' | 'oauth'; returnUrl: string };

/** Operations of the cloud that this area needs to connect by its app. */
export interface CloudGitHost {
  isLinked(organizationId: string): Promise<boolean>;
  /** Throws an AppError: `cloud_unreachable`, or `not_configured` if the cloud rejects it. */
  connectUrl(organizationId: string, wanted: ConnectWanted): Promise<string>;
  /** Throws like `connectUrl`. */
  overview(organizationId: string): Promise<LentOverview>;
  /** Throws a GitHostError, as the git host would. */
  mint(
    organizationId: string,
    installationId: number,
    narrowing: TokenScope | undefined,
    signal?: AbortSignal,
  ): Promise<InstallationToken>;
}
