/** Our webhook of a repository. The host has one per instance; each organization that uses it has a row. */
export interface GithostHookTable {
  id: string;
  organizationId: string;
  repositoryId: number;
  /** `owner/name` at registration. */
  repository: string;
  /** Null until the host has created it. */
  hookId: number | null;
  /** Sealed. The same for every organization, because the host signs with one. */
  secret: string;
  createdAt: number;
  updatedAt: number;
}

/** A webhook delivery, once for each organization that it concerns. */
export interface GithostDeliveryTable {
  id: string;
  organizationId: string;
  /** Delivery id of the host. */
  guid: string;
  /** SHA-256 of its body. */
  digest: string;
  /** Event type: `push`, `ping`, `installation`, `repositories` ... */
  event: string;
  repository: string | null;
  ref: string | null;
  commitSha: string | null;
  /** JSON: the parsed event. */
  content: string;
  status: 'received' | 'handled' | 'ignored' | 'failed';
  /** JSON: the outcome. */
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
  /** Survives a rename of the repository. Null until the host could be queried. */
  repositoryId: number | null;
  owner: string;
  name: string;
  /** Null: the default branch. */
  branch: string | null;
  defaultBranch: string | null;
  /** The branch checked last, null before the first check, and its head commit; null: no such branch. */
  seenBranch: string | null;
  seenCommit: string | null;
  seenAt: number | null;
  /** Time of the last webhook. Null: there is none, as far as we know. */
  heardAt: number | null;
  /** When the organization last had access to the repository. */
  checkedAt: number | null;
  nextCheckAt: number;
  /** Why the last check failed. */
  trouble: string | null;
  createdAt: number;
}

/** Commit status of a deployment, until its final state is reported. */
export interface CommitStatusTable {
  deploymentId: string;
  organizationId: string;
  owner: string;
  name: string;
  /** Distinguishes this status from others. */
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
