/** A backup destination. */
export interface BackupDestinationTable {
  id: string;
  organizationId: string;
  name: string;
  kind: string;
  /** JSON: configured values that are not secret, by field name. */
  options: string;
  /** Sealed JSON: the secrets, by field name. */
  secrets: string;
  /** JSON: names of the secrets that are set. */
  secretNames: string;
  pathPrefix: string;
  isDefault: number;
  /** SSH host key, pinned on the first connection. */
  hostKey: string | null;
  lastVerifiedAt: number | null;
  lastVerifyError: string | null;
  /** Incremented by each change: a test result belongs to the version that it tested. */
  version: number;
  createdAt: number;
  updatedAt: number;
}

/** Backups of the instance itself: the lease of the replica that makes one, and the last outcome. */
export interface InstanceBackupTable {
  singleton: number;
  owner: string | null;
  until: number;
  attemptedAt: number | null;
  succeededAt: number | null;
  /** Where the last backup is. */
  place: string | null;
  bytes: number | null;
  /** Why the last attempt failed; null after a success. */
  error: string | null;
  /** Which files the last backup does not contain; null if it has all. */
  lacks: string | null;
}

export type PolicyHealth = 'ok' | 'late' | 'failing' | 'never';

/** When and what is backed up, and where to. */
export interface BackupPolicyTable {
  id: string;
  organizationId: string;
  /** Null for the instance itself. */
  projectId: string | null;
  environment: string;
  name: string;
  /** JSON: PolicySettings. */
  settings: string;
  enabled: number;
  nextRunAt: number | null;
  nextDrillAt: number | null;
  lastSuccessAt: number | null;
  lastDrillAt: number | null;
  /** JSON: the newest run, `{id, status, finishedAt, error}`. */
  lastRun: string | null;
  /** Health that members were told of last. */
  reportedHealth: PolicyHealth;
  createdBy: string;
  createdAt: number;
  updatedAt: number;
}

export type BackupStatus = 'queued' | 'running' | 'verifying' | 'completed' | 'failed' | 'cancelled';

/** A backup, a restore or a drill: work with a lease and events. */
export interface BackupJobTable {
  id: string;
  organizationId: string;
  kind: 'backup' | 'restore' | 'drill';
  policyId: string | null;
  projectId: string | null;
  environment: string;
  /** The backup that a restore reads. */
  backupId: string | null;
  status: BackupStatus;
  trigger: 'schedule' | 'manual' | 'before-restore';
  /** JSON: what was requested. */
  request: string;
  /** JSON: what is done, for a worker that continues. */
  state: string;
  /** JSON: `{phase, bytesDone, bytesTotal}`. */
  progress: string;
  /** JSON: archives that were stored and verified. */
  archives: string;
  /** JSON: `{code, message, hint}`. */
  error: string | null;
  pinned: number;
  /** The replica that alone reaches the data; null for any. */
  machine: string | null;
  cancelRequestedAt: number | null;
  createdBy: string;
  createdAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  lastSeq: number;
  fence: number;
  leaseOwner: string | null;
  leaseUntil: number | null;
}

export interface BackupEventTable {
  jobId: string;
  seq: number;
  at: number;
  type: string;
  data: string;
}

/** A key that archives of the organization are encrypted with. */
export interface BackupKeyTable {
  id: string;
  organizationId: string;
  /** `age1...`. */
  recipient: string;
  /** Sealed: `AGE-SECRET-KEY-1...`. */
  identity: string;
  exportedAt: number | null;
  createdAt: number;
}

export interface BackupTables {
  backup_policies: BackupPolicyTable;
  backup_jobs: BackupJobTable;
  backup_events: BackupEventTable;
  backup_keys: BackupKeyTable;
  instance_backups: InstanceBackupTable;
  backup_destinations: BackupDestinationTable;
}
