/** How a server runs its projects: by itself, or on the Swarm that it manages. A `node` of a Swarm has none of its
 * own. */
export const serverRuntimes = ['docker', 'swarm', 'node'] as const;
export type ServerRuntime = (typeof serverRuntimes)[number];

export const serverKinds = ['ssh', 'this_machine'] as const;

/** States of an adoption, in order. */
export const adoptionStates = ['adopted', 'switched', 'undoing', 'undone', 'confirming', 'confirmed'] as const;
export type AdoptionState = (typeof adoptionStates)[number];

/** Managed servers. */
export interface ServerTables {
  adoptions: AdoptionTable;
  servers: ServerTable;
  server_upkeep: ServerUpkeepTable;
}

export interface ServerTable {
  id: string;
  organizationId: string;
  /** `this_machine` has none of the following fields up to `hostKey`. */
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
  /** Public key as a line of `authorized_keys`. */
  publicKey: string | null;
  /** Host key pinned on first use, as in `known_hosts`. */
  hostKey: string | null;
  lastCheckedAt: number | null;
  /** JSON: result of the last test; see ServerCheck. */
  lastCheck: string | null;
  /** Base domain of default host names there; null: the instance's own. */
  baseDomain: string | null;
  /** Ports of its edge; null: 80 and 443. */
  edgePort: number | null;
  edgeTlsPort: number | null;
  /** Null until something is deployed there, or a cluster is made of it. */
  runtime: ServerRuntime | null;
  /** Its node in a Swarm; null: it is in none that we know. */
  swarmNodeId: string | null;
  /** Name of the local folder for data about its projects; null: its id. */
  folder: string | null;
  createdAt: number;
  updatedAt: number;
}

/** Containers that a project has taken over on a server, until the adoption is confirmed. */
export interface AdoptionTable {
  projectId: string;
  organizationId: string;
  serverId: string;
  state: AdoptionState;
  /** JSON: the original containers by service, and the progress of their replacement. */
  originals: string;
  /** JSON: differences from the original containers. Null for adoptions of earlier versions. */
  warnings: string | null;
  createdBy: string;
  createdAt: number;
  updatedAt: number;
}

/** Lease of the replica that runs a server's upkeep. */
export interface ServerUpkeepTable {
  serverId: string;
  owner: string;
  until: number;
}
