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

interface AnyRelease {
  owner: Owner;
  env: Record<string, string>;
  /** Names of those variables whose values are hidden wherever its output is written down. */
  secretKeys: string[];
  /** The port of the machine where it is reached; the runtime chooses one of its range when it is undefined. */
  port?: number;
  memoryBytes?: number;
}

/** A built app in a folder, for the process runtime. */
export interface FolderRelease extends AnyRelease {
  kind: 'folder';
  folder: string;
  /** The user's own command line; it is given whole to `sh -c`, nothing is put into it. The app listens on `PORT`. */
  command: string;
  /** The project's small number: what a numeric user id is made of, where the runtime separates users. */
  projectNumber: number;
}

/** A built app as an image that the engine holds. */
export interface ImageRelease extends AnyRelease {
  kind: 'image';
  /** What a person calls it. */
  image: string;
  /** `sha256:...` as the engine says it: this and nothing else runs, whatever the name means by now. */
  imageId: string;
  /** In place of the image's own command. */
  command?: string[];
  /** In place of the image's own program that its command is given to. */
  entrypoint?: string[];
  /** The port inside the container; the app is told by `PORT`. */
  listensOn: number;
  /** How many processors it may use; parts of one count. */
  cpus?: number;
  /** In place of the image's own one. */
  healthcheck?: Healthcheck;
  confinement?: Confinement;
}

/** A command that the engine runs inside the container; an exit code of 0 means healthy. */
export interface Healthcheck {
  command: string[];
  intervalMs: number;
  timeoutMs: number;
  retries: number;
  startPeriodMs: number;
}

/** What an app needs beyond the tightest box. Whoever knows the app says so: the provider that wrote its Dockerfile, or
 * the project's settings. */
export interface Confinement {
  /** It writes outside of `/tmp`, `/run` and its volumes. */
  writableRoot?: boolean;
  /** Folders in memory, where the root cannot be written to: caches that may be lost. */
  memory?: string[];
  /** Linux capabilities, as `NET_ADMIN`. Undefined: what the image's user needs (see the driver). */
  capabilities?: string[];
}

/** Runs the command of a release to its end, beside what runs of it. What an attempt before has left of it is ended first. */
export type RunOnce = (
  spec: ImageRelease,
  options: { signal: AbortSignal; onLine: (line: string, stream: LogLine['stream']) => void; deadlineMs: number },
) => Promise<{ exitCode: number }>;

/** One release, ready to be started. */
export type ReleaseSpec = FolderRelease | ImageRelease;

/** How many numeric users there are for projects, where a runtime separates them. */
export const projectUsers = 4_000;

export type InstanceState = 'running' | 'restarting' | 'exited' | 'missing';

export interface Instance {
  id: string;
  /** The runtime that it runs on, where there are several. */
  runtime?: string;
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
  imageId?: string;
  /** It runs, but nothing would start it again when it ends. `start` sees to that without touching it; `restart` cannot. */
  isOrphan?: true;
  /** It was refused to write to its file system, which is read-only. */
  wasRefusedWrites?: true;
  /** What its health check says, where it has one. */
  health?: 'starting' | 'healthy' | 'unhealthy';
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

/** What a runtime notices by itself. */
export type RuntimeEvent =
  | { what: 'started' | 'out-of-memory' | 'healthy' | 'unhealthy'; owner: Owner; at: number }
  | { what: 'ended'; owner: Owner; at: number; exitCode: number }
  /** The engine answers, for the first time or again: whatever was known has to be looked at anew. */
  | { what: 'engine-there' };

/** Runs releases. Every call may be repeated after a crash: it finds its own objects by owner and goes on from there. */
export interface Runtime {
  readonly kind: string;
  /** Starts the release, or finds it running. An instance of an older fence of the same deployment is replaced; a call with
   * an older fence than what runs is refused. */
  start(spec: ReleaseSpec): Promise<Instance>;
  /** What it knows of a deployment's instance; undefined when it never started or was removed. */
  find(deploymentId: string, service?: string): Promise<Instance | undefined>;
  /** Everything of this instance of Mooring, or what was started from releases of one kind. */
  list(kind?: ReleaseSpec['kind']): Promise<Instance[]>;
  restart(deploymentId: string): Promise<Instance>;
  /** Asks it to end, waits, then ends it. Logs stay. Nothing to stop is fine. */
  stop(deploymentId: string, graceMs: number): Promise<void>;
  /** Stops and forgets it, logs included. */
  remove(deploymentId: string): Promise<void>;
  usage(deploymentId: string): Promise<Usage | undefined>;
  logs(deploymentId: string, options: { tail?: number; since?: number }): Promise<LogLine[]>;
}
