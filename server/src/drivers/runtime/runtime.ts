/** Whose it is and who started it: every object in an engine carries this. */
export interface Owner {
  instanceId: string;
  organizationId: string;
  projectId: string;
  deploymentId: string;
  /** `app`, or the name of a service. */
  service: string;
  /** Raised by each worker that takes a deployment over; an older one is refused. */
  fence: number;
}

/** One release, ready to be started. */
export interface ReleaseSpec {
  owner: Owner;
  /** The built app (process runtime). */
  folder: string;
  /** The user's own command line; it is given whole to `sh -c`, nothing is put into it. */
  command: string;
  env: Record<string, string>;
  /** The port that the app is told to listen on by `PORT`; the runtime chooses one when it is undefined. */
  port?: number;
  memoryBytes?: number;
  /** The project's small number: what a numeric user id is made of, where the runtime separates users. */
  projectNumber: number;
}

/** How many numeric users there are for projects, where a runtime separates them. */
export const projectUsers = 4_000;

export type InstanceState = 'running' | 'restarting' | 'exited' | 'missing';

export interface Instance {
  id: string;
  owner: Owner;
  state: InstanceState;
  /** Where it listens. */
  host: string;
  port: number;
  startedAt: number | null;
  restarts: number;
  exitCode: number | null;
  exitSignal: string | null;
  pid?: number;
  image?: string;
  /** Something a person should know, such as that it runs as the service's own user. */
  notices: string[];
}

export interface Usage {
  cpuPercent: number;
  memoryBytes: number;
  memoryLimitBytes: number | null;
  networkRxBytes: number;
  networkTxBytes: number;
}

export interface LogLine {
  at: number;
  stream: 'stdout' | 'stderr';
  line: string;
}

/** Runs releases. Every call may be repeated after a crash: it finds its own objects by owner and goes on from there. */
export interface Runtime {
  readonly kind: string;
  /** Starts the release, or finds it running. An instance of an older fence of the same deployment is replaced; a call with
   * an older fence than what runs is refused. */
  start(spec: ReleaseSpec): Promise<Instance>;
  /** What it knows of a deployment's instance; undefined when it never started or was removed. */
  find(deploymentId: string, service?: string): Promise<Instance | undefined>;
  /** Everything of this instance of Mooring, for finding what nobody wants any more. */
  list(): Promise<Instance[]>;
  restart(deploymentId: string): Promise<Instance>;
  /** Asks it to end, waits, then ends it. Logs stay. Nothing to stop is fine. */
  stop(deploymentId: string, graceMs: number): Promise<void>;
  /** Stops and forgets it, logs included. */
  remove(deploymentId: string): Promise<void>;
  usage(deploymentId: string): Promise<Usage | undefined>;
  logs(deploymentId: string, options: { tail?: number; since?: number }): Promise<LogLine[]>;
}
