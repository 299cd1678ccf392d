/** An account of the git host that an organization uses, one of each kind at most. */
export interface GithostConnectionTable {
  id: string;
  organization_id: string;
  /** `oauth`: an account that signed in. `cli`: the sign-in of the host's program on this machine. */
  kind: 'oauth' | 'cli';
  login: string;
  /** Sealed JSON: the tokens. Null for `cli`, which keeps its own. */
  tokens: string | null;
  connected_by: string;
  created_at: number;
  updated_at: number;
}

/** A place where our app is installed, and whose that is in here. */
export interface GithostInstallationTable {
  id: string;
  organization_id: string;
  /** The host's number of it. */
  installation_id: number;
  account_id: number;
  account_login: string;
  account_type: 'user' | 'organization';
  suspended_at: number | null;
  /** `sign_in`: an account that administers it has signed in. `instance_owner`: whoever holds the app's key took it.
   * `cloud`: it is one of the cloud's app, and the cloud says that it is theirs. */
  proof: 'sign_in' | 'instance_owner' | 'cloud';
  connected_by: string;
  created_at: number;
}

/** A connection that somebody has begun to make, until it is made or too old. */
export interface GithostSignInTable {
  id: string;
  organization_id: string;
  user_id: string;
  /** `web`: a browser signs in at the host. `install`: it installs the app there. `proof`: it then shows whose account that
   * is. `confirm`: its person is asked whether that is wanted. `device`: a person types a code. */
  kind: 'web' | 'install' | 'proof' | 'confirm' | 'device';
  /** What the browser brings back, once. */
  state_hash: string | null;
  /** Of the cookie in the browser that began. */
  nonce_hash: string | null;
  /** Sealed: what proves that it was us who began (`web`), the device code (`device`), or what was shown (`confirm`). */
  secret: string | null;
  redirect_uri: string | null;
  /** Where the browser goes in the end, when it was begun for another instance. */
  return_url: string | null;
  user_code: string | null;
  verification_uri: string | null;
  interval_ms: number | null;
  next_poll_at: number | null;
  /** Whoever began holds the app's key, and needs no other proof for installations that nobody has. */
  may_claim: number;
  /** What became of a `device` one. */
  outcome: 'connected' | 'denied' | 'expired' | null;
  created_at: number;
  expires_at: number;
}

/** A token that was handed out for cloning, until it is ended. */
export interface GithostCloneTokenTable {
  id: string;
  organization_id: string;
  user_id: string;
  /** As `owner/name`. */
  repository: string;
  /** Sealed. */
  token: string;
  created_at: number;
  /** When we end it. The host's own hour is a little longer. */
  expires_at: number;
}

/** An organization that uses the app of its cloud. */
export interface GithostLentTable {
  organization_id: string;
  connected_by: string;
  /** Up to where it has what the cloud hands on; null before the first time. */
  cursor: string | null;
  created_at: number;
}

export interface GithostTables {
  githost_connections: GithostConnectionTable;
  githost_installations: GithostInstallationTable;
  githost_sign_ins: GithostSignInTable;
  githost_clone_tokens: GithostCloneTokenTable;
  githost_lent: GithostLentTable;
}
