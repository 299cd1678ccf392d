/** An account of the git host that an organization uses, one of each kind at most. */
export interface GithostConnectionTable {
  id: string;
  organizationId: string;
  /** `oauth`: an account that signed in. `cli`: the sign-in of the host's program on this machine. */
  kind: 'oauth' | 'cli';
  login: string;
  /** Sealed JSON: the tokens. Null for `cli`, which keeps its own. */
  tokens: string | null;
  connectedBy: string;
  createdAt: number;
  updatedAt: number;
}

/** A place where our app is installed, and whose that is in here. */
export interface GithostInstallationTable {
  id: string;
  organizationId: string;
  /** The host's number of it. */
  installationId: number;
  accountId: number;
  accountLogin: string;
  accountType: 'user' | 'organization';
  suspendedAt: number | null;
  /** `sign_in`: an account that administers it has signed in. `instance_owner`: whoever holds the app's key took it.
   * `cloud`: it is one of the cloud's app, and the cloud says that it is theirs. */
  proof: 'sign_in' | 'instance_owner' | 'cloud';
  connectedBy: string;
  createdAt: number;
}

/** A connection that somebody has begun to make, until it is made or too old. */
export interface GithostSignInTable {
  id: string;
  organizationId: string;
  userId: string;
  /** `web`: a browser signs in at the host. `install`: it installs the app there. `proof`: it then shows whose account that
   * is. `confirm`: its person is asked whether that is wanted. `device`: a person types a code. */
  kind: 'web' | 'install' | 'proof' | 'confirm' | 'device';
  /** What the browser brings back, once. */
  stateHash: string | null;
  /** Of the cookie in the browser that began. */
  nonceHash: string | null;
  /** Sealed: what proves that it was us who began (`web`), the device code (`device`), or what was shown (`confirm`). */
  secret: string | null;
  redirectUri: string | null;
  /** Where the browser goes in the end, when it was begun for another instance. */
  returnUrl: string | null;
  userCode: string | null;
  verificationUri: string | null;
  intervalMs: number | null;
  nextPollAt: number | null;
  /** Whoever began holds the app's key, and needs no other proof for installations that nobody has. */
  mayClaim: number;
  /** What became of a `device` one. */
  outcome: 'connected' | 'denied' | 'expired' | null;
  createdAt: number;
  expiresAt: number;
}

/** A token that was handed out for cloning, until it is ended. */
export interface GithostCloneTokenTable {
  id: string;
  organizationId: string;
  userId: string;
  /** As `owner/name`. */
  repository: string;
  /** Sealed. */
  token: string;
  createdAt: number;
  /** When we end it. The host's own hour is a little longer. */
  expiresAt: number;
}

/** An organization that uses the app of its cloud. */
export interface GithostLentTable {
  organizationId: string;
  connectedBy: string;
  /** Up to where it has what the cloud hands on; null before the first time. */
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
