/** Where backups go. */
export interface BackupDestinationTable {
  id: string;
  organizationId: string;
  name: string;
  kind: string;
  /** JSON: what was configured and is no secret, by the names of the fields. */
  options: string;
  /** Sealed JSON: the secrets, by the names of the fields. */
  secrets: string;
  /** JSON: which secrets there are. */
  secretNames: string;
  pathPrefix: string;
  isDefault: number;
  /** What the machine showed when it was first reached. */
  hostKey: string | null;
  lastVerifiedAt: number | null;
  lastVerifyError: string | null;
  /** Raised by each change: what a preflight found belongs to what it looked at. */
  version: number;
  createdAt: number;
  updatedAt: number;
}

export interface BackupTables {
  backup_destinations: BackupDestinationTable;
}
