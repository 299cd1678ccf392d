export const serverKinds = ['ssh', 'this_machine'] as const;

/** The states of an adoption, in the order of its life. */
export const adoptionStates = ['adopted', 'switched', 'undoing', 'undone', 'confirming', 'confirmed'] as const;
export type AdoptionState = (typeof adoptionStates)[number];

/** Machines that are worked on. */
export interface ServerTables {
  adoptions: AdoptionTable;
  servers: ServerTable;
  server_upkeep: ServerUpkeepTable;
}

export interface ServerTable {
  id: string;
  organization_id: string;
  /** `this_machine` has none of what follows up to `host_key`. */
  kind: (typeof serverKinds)[number];
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
  /** Free names of projects there are below it; null: below the instance's own. */
  base_domain: string | null;
  /** Where its edge takes requests; null: 80 and 443. */
  edge_port: number | null;
  edge_tls_port: number | null;
  created_at: number;
  updated_at: number;
}

/** What a project has taken over on a server, until somebody confirms that it is done. */
export interface AdoptionTable {
  project_id: string;
  organization_id: string;
  server_id: string;
  state: AdoptionState;
  /** JSON: the containers that were there before, by service, and how far each of them was replaced. */
  originals: string;
  created_by: string;
  created_at: number;
  updated_at: number;
}

/** Which replica looks after a server, for as long as it says so. */
export interface ServerUpkeepTable {
  server_id: string;
  owner: string;
  until: number;
}
