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
}

export interface BackupTables {
  instance_backups: InstanceBackupTable;
  backup_destinations: BackupDestinationTable;
}
