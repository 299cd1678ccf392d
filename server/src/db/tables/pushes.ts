/** A webhook of ours at a repository. The host has one for the instance; each organization that uses it has a row. */
export interface GithostHookTable {
  id: string;
  organizationId: string;
  repositoryId: number;
  /** `owner/name` when it was registered. */
  repository: string;
  /** Null until the host has it. */
  hookId: number | null;
  /** Sealed. The same for every organization, because the host signs with one. */
  secret: string;
  createdAt: number;
  updatedAt: number;
}

/** Something that the host announced, once for each organization that it concerns. */
export interface GithostDeliveryTable {
  id: string;
  organizationId: string;
  /** The host's name of it. */
  guid: string;
  /** SHA-256 of its bytes. */
  digest: string;
  /** The type of the event: `push`, `ping`, `installation`, `repositories` ... */
  event: string;
  repository: string | null;
  ref: string | null;
  commitSha: string | null;
  /** JSON: the event as it was read. */
  content: string;
  status: 'received' | 'handled' | 'ignored' | 'failed';
  /** JSON: what came of it. */
  outcome: string | null;
  attempts: number;
  nextTryAt: number;
  leaseOwner: string | null;
  leaseUntil: number | null;
  receivedAt: number;
  handledAt: number | null;
}

/** The repository that a project follows. */
export interface ProjectLinkTable {
  projectId: string;
  organizationId: string;
  /** Stays when the repository is renamed. Null until the host could be asked. */
  repositoryId: number | null;
  owner: string;
  name: string;
  /** Null: the default branch. */
  branch: string | null;
  defaultBranch: string | null;
  /** The branch that was looked at last, null before the first look, and what was at its head; null: nothing. */
  seenBranch: string | null;
  seenCommit: string | null;
  seenAt: number | null;
  /** When the host last announced something of it. Null: it does not, as far as we know. */
  heardAt: number | null;
  /** When the organization last saw the repository at the host. */
  checkedAt: number | null;
  nextCheckAt: number;
  /** Why the last look came to nothing. */
  trouble: string | null;
  createdAt: number;
}

/** What the host is told of a deployment, until it was told the end. */
export interface CommitStatusTable {
  deploymentId: string;
  organizationId: string;
  owner: string;
  name: string;
  /** What tells this status from those of others. */
  context: string;
  told: 'pending' | 'success' | 'failure' | 'error' | null;
  attempts: number;
  nextAt: number;
}

export interface PushTables {
  githost_hooks: GithostHookTable;
  githost_deliveries: GithostDeliveryTable;
  project_links: ProjectLinkTable;
  commit_statuses: CommitStatusTable;
}
