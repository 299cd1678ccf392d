/** Whether containers are kept from what only this machine reaches. */
export type FirewallFinding =
  | { state: 'holds' }
  /** `open`: what they reach, in words for whoever runs the machine. */
  | { state: 'open'; open: string[] }
  /** Nobody may look, or there is something among the rules that we do not understand. */
  | { state: 'unknown'; why: string };

/** What of this machine is for everybody, containers included. */
export interface Allowed {
  /** Where the edge answers: apps call each other by their public names. */
  edgePorts: readonly number[];
  /** Name servers that containers are told of; asked for names, and for nothing else. */
  nameServers: readonly string[];
}

/** Stands between the containers of people who are nothing to each other and the machine: its ports, its private network, and the
 * service that gives it credentials. */
export interface Firewall {
  /** Changes nothing. */
  look(): Promise<FirewallFinding>;
  /** Puts our own rules in place, all at once, beside whatever rules there are. True if something was changed; none that are there
   * already are touched. Fails with a FirewallError. */
  apply(): Promise<boolean>;
}

/** In words for whoever runs the machine. */
export class FirewallError extends Error {
  override name = 'FirewallError';
}

/** The program for it is not on the machine. */
export class MissingProgramError extends FirewallError {
  override name = 'MissingProgramError';
}
