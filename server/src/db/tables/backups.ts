/** Where backups go. */
export interface BackupDestinationTable {
  id: string;
  organization_id: string;
  name: string;
  kind: string;
  /** JSON: what was configured and is no secret, by the names of the fields. */
  options: string;
  /** Sealed JSON: the secrets, by the names of the fields. */
  secrets: string;
  /** JSON: which secrets there are. */
  secret_names: string;
  path_prefix: string;
  is_default: number;
  /** What the machine showed when it was first reached. */
  host_key: string | null;
  last_verified_at: number | null;
  last_verify_error: string | null;
  /** Raised by each change: what a preflight found belongs to what it looked at. */
  version: number;
  created_at: number;
  updated_at: number;
}

export interface BackupTables {
  backup_destinations: BackupDestinationTable;
}
