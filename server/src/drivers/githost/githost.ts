/** A way to the host. Where several are usable, the first of `sourceKinds` is taken. */
export type SourceKind = 'app' | 'oauth' | 'cli';
export const sourceKinds: readonly SourceKind[] = ['app', 'oauth', 'cli'];

/** Whether a source can be used now, and if not, what a person can do about it. */
export type SourceState =
  | { isUsable: true; login: string }
  | { isUsable: false; reason: 'not_connected' | 'signed_out' | 'suspended' | 'unavailable'; message: string };

/** A person or an organization on the host. */
export interface Account {
  id: number;
  login: string;
  type: 'user' | 'organization';
  avatarUrl: string | null;
  webUrl: string;
}

/** A repository by its name. */
export interface RepositoryName {
  owner: string;
  name: string;
}

export interface Repository extends RepositoryName {
  id: number;
  isPrivate: boolean;
  isArchived: boolean;
  /** Null before the first push. */
  defaultBranch: string | null;
  description: string | null;
  webUrl: string;
  cloneUrl: string;
  pushedAt: number | null;
  /** What the source may do to it. */
  may: { pull: boolean; push: boolean; admin: boolean };
}

export interface Branch {
  name: string;
  commitSha: string;
  isProtected: boolean;
}

export interface DirectoryEntry {
  name: string;
  path: string;
  type: 'file' | 'directory' | 'link' | 'submodule';
  bytes: number;
}

/** A path of a repository; without a branch, that of its default branch. */
export interface RepositoryPath {
  path: string;
  branch?: string;
}

export interface Hook {
  id: number;
  url: string;
  events: string[];
  isActive: boolean;
}

/** Where pushes are announced, and what proves that it was the host. */
export interface HookTarget {
  url: string;
  secret: string;
}

/** What stands beside a commit on the host's pages. `context` tells ours from those of others. */
export interface CommitStatus {
  commitSha: string;
  state: 'pending' | 'success' | 'failure' | 'error';
  context: string;
  description: string;
  targetUrl?: string;
}

/** What proves itself to git over HTTP. It may do no more than read, where the source can give such a thing. */
export interface CloneCredential {
  url: string;
  username: string;
  password: string;
  /** Null: as long as the account that it belongs to lets us. */
  expiresAt: number | null;
}

/** Files that differ between two commits. When there are too many of them for the host, `isComplete` is false. */
export interface ChangedFiles {
  files: string[];
  isComplete: boolean;
}

export interface GitHostCallOptions {
  signal?: AbortSignal;
}

/** One connection to a host. Every call fails with a GitHostError, whatever the host does. */
export interface GitSource {
  readonly kind: SourceKind;
  /** Never fails. */
  state(options?: GitHostCallOptions): Promise<SourceState>;
  accounts(options?: GitHostCallOptions): Promise<Account[]>;
  /** All of them, however many pages the host makes of it. */
  repositories(options?: GitHostCallOptions & { owner?: string }): Promise<Repository[]>;
  organizationRepositories(organization: string, options?: GitHostCallOptions): Promise<Repository[]>;
  /** Without an owner: of whoever is signed in. */
  createRepository(
    wanted: { name: string; isPrivate: boolean; owner?: string },
    options?: GitHostCallOptions,
  ): Promise<Repository>;
  repository(name: RepositoryName, options?: GitHostCallOptions): Promise<Repository>;
  deleteRepository(name: RepositoryName, options?: GitHostCallOptions): Promise<void>;
  branches(name: RepositoryName, options?: GitHostCallOptions): Promise<Branch[]>;
  branch(name: RepositoryName, branch: string, options?: GitHostCallOptions): Promise<Branch>;
  changedFiles(name: RepositoryName, from: string, to: string, options?: GitHostCallOptions): Promise<ChangedFiles>;
  directory(name: RepositoryName, place: RepositoryPath, options?: GitHostCallOptions): Promise<DirectoryEntry[]>;
  file(name: RepositoryName, place: RepositoryPath, options?: GitHostCallOptions): Promise<Buffer>;
  hooks(name: RepositoryName, options?: GitHostCallOptions): Promise<Hook[]>;
  /** One hook for an address: what is there already is brought up to date, secret included. */
  registerHook(
    name: RepositoryName,
    target: HookTarget,
    options?: GitHostCallOptions,
  ): Promise<{ hook: Hook; isNew: boolean }>;
  deleteHook(name: RepositoryName, hookId: number, options?: GitHostCallOptions): Promise<void>;
  setStatus(name: RepositoryName, status: CommitStatus, options?: GitHostCallOptions): Promise<void>;
  /** For fetching this one repository. */
  cloneCredential(name: RepositoryName, options?: GitHostCallOptions): Promise<CloneCredential>;
  /** One to hand out: reads this one repository, and is over within the hour. `conflict` where a source has no such thing. */
  cloneToken(name: RepositoryName, options?: GitHostCallOptions): Promise<CloneCredential & { expiresAt: number }>;
  /** Makes a credential worthless before its time, where the source made it. */
  endCredential(credential: Pick<CloneCredential, 'password'>, options?: GitHostCallOptions): Promise<void>;
  /** Gives up what this connection holds at the host. What is gone already is given up. */
  revoke(options?: GitHostCallOptions): Promise<void>;
}
