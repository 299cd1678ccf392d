/** Git host account of an organization, at most one of each kind. */
export interface GithostConnectionTable {
  id: string;
  organizationId: string;
  /** `oauth`: an account that signed in. `cli`: the login of the host's CLI on this machine. */
  kind: 'oauth' | 'cli';
  login: string;
  /** Sealed JSON: the tokens. Null for `cli`, which stores its own. */
  tokens: string | null;
  connectedBy: string;
  createdAt: number;
  updatedAt: number;
}

/** An installation of our app, and its organization here. */
export interface GithostInstallationTable {
  id: string;
  organizationId: string;
  /** Id at the git host. */
  installationId: number;
  accountId: number;
  accountLogin: string;
  accountType: 'user' | 'organization';
  suspendedAt: number | null;
  /** `sign_in`: an account that administers it has signed in. `instance_owner`: the holder of the app's key claimed
   * it. `cloud`: an installation of the cloud's app, confirmed by the cloud. */
  proof: 'sign_in' | 'instance_owner' | 'cloud';
  connectedBy: string;
  createdAt: number;
}

/** A pending connection, until it completes or expires. */
export interface GithostSignInTable {
  id: string;
  organizationId: string;
  userId: string;
  /** `web`: OAuth in a browser. `install`: the browser installs the app. `proof`: it then proves which account that
   * is. `confirm`: the user confirms. `device`: the user enters a code. */
  kind: 'web' | 'install' | 'proof' | 'confirm' | 'device';
  /** OAuth state, valid once. */
  stateHash: string | null;
  /** Nonce cookie of the browser that started it. */
  nonceHash: string | null;
  /** Sealed: the PKCE verifier (`web`), the device code (`device`), or the proof (`confirm`). */
  secret: string | null;
  redirectUri: string | null;
  /** Final redirect of the browser, when started for another instance. */
  returnUrl: string | null;
  userCode: string | null;
  verificationUri: string | null;
  intervalMs: number | null;
  nextPollAt: number | null;
  /** Whether the initiator holds the app's key, and so may claim unclaimed installations. */
  mayClaim: number;
  /** Result of a `device` login. */
  outcome: 'connected' | 'denied' | 'expired' | null;
  createdAt: number;
  expiresAt: number;
}

/** A clone token that was handed out, until it is revoked. */
export interface GithostCloneTokenTable {
  id: string;
  organizationId: string;
  userId: string;
  /** As `owner/name`. */
  repository: string;
  /** Sealed. */
  token: string;
  createdAt: number;
  /** When we revoke it. The host's own expiry is slightly later. */
  expiresAt: number;
}

/** An organization that uses the app of its cloud. */
export interface GithostLentTable {
  organizationId: string;
  connectedBy: string;
  /** Cursor into the cloud's queue; null before the first poll. */
  cursor: string | null;
  createdAt: number;
}

export interface GithostTables {
  githost_connections: GithostConnectionTable;
  githost_installations: GithostInstallationTable;
  githost_sign_ins: GithostSignInTable;
  githost_clone_tokens: GithostCloneTokenTable;
  githost_lent: GithostLentTable;
}
