/** Kinds of connection to the git host. When several are usable, the first in `sourceKinds` wins. */
export type SourceKind = 'app' | 'oauth' | 'cli';
export const sourceKinds: readonly SourceKind[] = ['app', 'oauth', 'cli'];

/** Whether a source is usable now; if not, `message` says how to fix it. */
export type SourceState =
  | { isUsable: true; login: string }
  | { isUsable: false; reason: 'not_connected' | 'signed_out' | 'suspended' | 'unavailable'; message: string };

/** User or organization on the git host. */
export interface Account {
  id: number;
  login: string;
  type: 'user' | 'organization';
  avatarUrl: string | null;
  webUrl: string;
}

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
  /** Permissions that the source has on the repository. */
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

/** Path in a repository, on the default branch unless `branch` is set. */
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

/** Address of a webhook and the secret that the host signs deliveries with. */
export interface HookTarget {
  url: string;
  secret: string;
}

/** Commit status shown on the git host. `context` sets ours apart from other tools' statuses. */
export interface CommitStatus {
  commitSha: string;
  state: 'pending' | 'success' | 'failure' | 'error';
  context: string;
  description: string;
  targetUrl?: string;
}

/** Credential for git over HTTP, read-only if the source can issue one. */
export interface CloneCredential {
  url: string;
  username: string;
  password: string;
  /** Null: valid until the account revokes it. */
  expiresAt: number | null;
}

/** Files that differ between two commits. `isComplete` is false when the host truncates the list. */
export interface ChangedFiles {
  files: string[];
  isComplete: boolean;
}

export interface GitHostCallOptions {
  signal?: AbortSignal;
}

/** Connection to a git host. Calls reject with a GitHostError, or with their signal's abort reason. */
export interface GitSource {
  readonly kind: SourceKind;
  /** Never rejects. */
  state(options?: GitHostCallOptions): Promise<SourceState>;
  accounts(options?: GitHostCallOptions): Promise<Account[]>;
  /** Follows pagination and returns all repositories. */
  repositories(options?: GitHostCallOptions & { owner?: string }): Promise<Repository[]>;
  organizationRepositories(organization: string, options?: GitHostCallOptions): Promise<Repository[]>;
  /** Without an owner, the repository belongs to the signed-in user. */
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
  /** Idempotent per address: updates an existing hook, including its secret. */
  registerHook(
    name: RepositoryName,
    target: HookTarget,
    options?: GitHostCallOptions,
  ): Promise<{ hook: Hook; isNew: boolean }>;
  deleteHook(name: RepositoryName, hookId: number, options?: GitHostCallOptions): Promise<void>;
  setStatus(name: RepositoryName, status: CommitStatus, options?: GitHostCallOptions): Promise<void>;
  /** Returns a credential to fetch this repository. */
  cloneCredential(name: RepositoryName, options?: GitHostCallOptions): Promise<CloneCredential>;
  /** Returns a read-only token for this repository that expires within an hour; `conflict` if unsupported. */
  cloneToken(name: RepositoryName, options?: GitHostCallOptions): Promise<CloneCredential & { expiresAt: number }>;
  /** Revokes a credential before it expires, if the source issued it. */
  endCredential(credential: Pick<CloneCredential, 'password'>, options?: GitHostCallOptions): Promise<void>;
  /** Revokes this connection's access at the host. Idempotent. */
  revoke(options?: GitHostCallOptions): Promise<void>;
}
