/** Whether the rules keep containers away from the machine's ports and private network. */
export type FirewallFinding =
  | { state: 'holds' }
  /** `open`: destinations that containers can reach, in words for the operator. */
  | { state: 'open'; open: string[] }
  /** We may not read the rules, or cannot interpret one of them. */
  | { state: 'unknown'; why: string };

/** Destinations that containers may reach. */
export interface AllowedDestinations {
  /** Ports of the edge: apps call each other by their public names. */
  edgePorts: readonly number[];
  /** Name servers in the containers' resolv.conf; only DNS is allowed. */
  nameServers: readonly string[];
}

/** Keeps tenants' containers away from the machine's ports, its private network and the cloud's metadata service. */
export interface Firewall {
  /** Read-only. */
  look(): Promise<FirewallFinding>;
  /** Adds our rules atomically and leaves all other rules alone. Returns whether anything changed.
   * Fails with a FirewallError. */
  apply(): Promise<boolean>;
}

/** The message is written for the operator. */
export class FirewallError extends Error {
  override name = 'FirewallError';
}

/** The firewall program is not installed. */
export class MissingProgramError extends FirewallError {
  override name = 'MissingProgramError';
}
