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

export interface BackupTables {
  backup_destinations: BackupDestinationTable;
}
