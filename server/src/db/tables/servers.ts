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
  organizationId: string;
  /** `this_machine` has none of what follows up to `hostKey`. */
  kind: (typeof serverKinds)[number];
  /** Unique in the organization. */
  name: string;
  host: string | null;
  port: number | null;
  username: string | null;
  /** Sealed. */
  password: string | null;
  /** Sealed. */
  privateKey: string | null;
  /** Sealed. */
  passphrase: string | null;
  /** Of the private key, as a line of `authorized_keys`. */
  publicKey: string | null;
  /** What the machine showed at the first use, as a line of `known_hosts` has it. */
  hostKey: string | null;
  lastCheckedAt: number | null;
  /** JSON: what the last test found; see ServerCheck. */
  lastCheck: string | null;
  /** Free names of projects there are below it; null: below the instance's own. */
  baseDomain: string | null;
  /** Where its edge takes requests; null: 80 and 443. */
  edgePort: number | null;
  edgeTlsPort: number | null;
  createdAt: number;
  updatedAt: number;
}

/** What a project has taken over on a server, until somebody confirms that it is done. */
export interface AdoptionTable {
  projectId: string;
  organizationId: string;
  serverId: string;
  state: AdoptionState;
  /** JSON: the containers that were there before, by service, and how far each of them was replaced. */
  originals: string;
  createdBy: string;
  createdAt: number;
  updatedAt: number;
}

/** Which replica looks after a server, for as long as it says so. */
export interface ServerUpkeepTable {
  serverId: string;
  owner: string;
  until: number;
}
