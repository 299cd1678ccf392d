/** Machines that are worked on. */
export interface ServerTables {
  servers: ServerTable;
}

export interface ServerTable {
  id: string;
  organization_id: string;
  /** `ssh`, or `this_machine`, which has none of what follows up to `host_key`. */
  kind: string;
  /** Unique in the organization. */
  name: string;
  host: string | null;
  port: number | null;
  username: string | null;
  /** Sealed. */
  password: string | null;
  /** Sealed. */
  private_key: string | null;
  /** Sealed. */
  passphrase: string | null;
  /** Of the private key, as a line of `authorized_keys`. */
  public_key: string | null;
  /** What the machine showed at the first use, as a line of `known_hosts` has it. */
  host_key: string | null;
  last_checked_at: number | null;
  /** JSON: what the last test found; see ServerCheck. */
  last_check: string | null;
  created_at: number;
  updated_at: number;
}
