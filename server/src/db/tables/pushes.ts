/** A webhook of ours at a repository. The host has one for the instance; each organization that uses it has a row. */
export interface GithostHookTable {
  id: string;
  organization_id: string;
  repository_id: number;
  /** `owner/name` when it was registered. */
  repository: string;
  /** Null until the host has it. */
  hook_id: number | null;
  /** Sealed. The same for every organization, because the host signs with one. */
  secret: string;
  created_at: number;
  updated_at: number;
}

/** Something that the host announced, once for each organization that it concerns. */
export interface GithostDeliveryTable {
  id: string;
  organization_id: string;
  /** The host's name of it. */
  guid: string;
  /** SHA-256 of its bytes. */
  digest: string;
  /** The type of the event: `push`, `ping`, `installation`, `repositories` ... */
  event: string;
  repository: string | null;
  ref: string | null;
  commit_sha: string | null;
  /** JSON: the event as it was read. */
  content: string;
  status: 'received' | 'handled' | 'ignored' | 'failed';
  /** JSON: what came of it. */
  outcome: string | null;
  attempts: number;
  next_try_at: number;
  lease_owner: string | null;
  lease_until: number | null;
  received_at: number;
  handled_at: number | null;
}

/** The repository that a project follows. */
export interface ProjectLinkTable {
  project_id: string;
  organization_id: string;
  /** Stays when the repository is renamed. Null until the host could be asked. */
  repository_id: number | null;
  owner: string;
  name: string;
  /** Null: the default branch. */
  branch: string | null;
  default_branch: string | null;
  /** The branch that was looked at last, null before the first look, and what was at its head; null: nothing. */
  seen_branch: string | null;
  seen_commit: string | null;
  seen_at: number | null;
  /** When the host last announced something of it. Null: it does not, as far as we know. */
  heard_at: number | null;
  /** When the organization last saw the repository at the host. */
  checked_at: number | null;
  next_check_at: number;
  /** Why the last look came to nothing. */
  trouble: string | null;
  created_at: number;
}

/** What the host is told of a deployment, until it was told the end. */
export interface CommitStatusTable {
  deployment_id: string;
  organization_id: string;
  owner: string;
  name: string;
  /** What tells this status from those of others. */
  context: string;
  told: 'pending' | 'success' | 'failure' | 'error' | null;
  attempts: number;
  next_at: number;
}

export interface PushTables {
  githost_hooks: GithostHookTable;
  githost_deliveries: GithostDeliveryTable;
  project_links: ProjectLinkTable;
  commit_statuses: CommitStatusTable;
}
