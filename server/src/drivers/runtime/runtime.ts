import type { ListenerOwner } from '../host/listeners.ts';
import type { Readable } from 'node:stream';
import type { WrittenEntry } from '../../lib/archive/writer.ts';
import type { AppUser } from '../host/sandbox.ts';

/** Whose it is and who started it: every object in an engine carries this. */
export interface Owner {
  instanceId: string;
  organizationId: string;
  projectId: string;
  deploymentId: string;
  /** `app`, or the name of a service. */
  service: string;
  /** Which of several that are alike, from 2 on; the first has no number. */
  replica?: number;
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
  /** Folders whose programs are found before all others. */
  programs?: string[];
  /** The whole release, where the app's folder is a part of it. */
  releaseFolder?: string;
  /** Folders outside of the release that it may write to. */
  volumes?: string[];
  /** The project's own user; null where the service may not choose one. */
  user: AppUser | null;
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
  /** The port inside the container that we reach it by; an app is told by `PORT`. Null for a service that listens nowhere
   * where we would look. */
  listensOn: number | null;
  /** How many processors it may use; parts of one count. */
  cpus?: number;
  /** In place of the image's own one; null: none, not even that. */
  healthcheck?: ContainerHealthcheck | null;
  /** A check is made no more often than this, whosever it is: each is work of the engine's, which nobody limits. */
  leastHealthIntervalMs?: number;
  confinement?: Confinement;
  service: ServiceOptions;
}

/** A command that the engine runs inside the container; an exit code of 0 means healthy. */
export interface ContainerHealthcheck {
  /** Empty: the image's own one, of which only the times are others; a 0 is what the image says, or the engine. */
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

/** What makes a container a service of a stack: its names, networks, volumes and ports, and what its file says of it. Its
 * environment is what the release says and nothing more; its root can be written to unless the confinement says otherwise. */
export interface ServiceOptions {
  /** `<projectId>/<environment>`: names, networks and volumes are the stack's own. */
  stack: string;
  /** The one service of an app: in the tightest box (see `Confinement`), and its output carries no name of a service. */
  isApp?: true;
  /** Whether its names lead to it from its start, because nobody has them. Otherwise they do from `promote` on. */
  isNamedAtOnce: boolean;
  /** Empty where `networkMode` says something else. */
  networks: ServiceNetwork[];
  networkMode: { kind: 'none' | 'host' } | { kind: 'service'; deploymentId: string; service: string } | null;
  /** Ports of the machine, besides the one that we reach it by. */
  ports: ServicePort[];
  mounts: ServiceMount[];
  /** What becomes of it when it ends by itself. Where it says `no`, its end is its end: nothing starts it again. */
  restart: { policy: 'no' | 'always' | 'unless-stopped' | 'on-failure'; maxAttempts: number | null };
  labels: Record<string, string>;
  user: string | null;
  groups: string[];
  workingDirectory: string | null;
  hostname: string | null;
  domainName: string | null;
  dns: string[];
  dnsOptions: string[];
  dnsSearch: string[];
  extraHosts: { host: string; address: string }[];
  hasInit: boolean | null;
  hasTty: boolean;
  hasOpenInput: boolean;
  stopSignal: string | null;
  stopGraceMs: number | null;
  shmBytes: number | null;
  ulimits: Record<string, { soft: number; hard: number }>;
  sysctls: Record<string, string>;
  pids: number | null;
  memoryReservationBytes: number | null;
  /** With swap; -1 is without a limit. */
  memorySwapBytes: number | null;
  /** Of those that an engine usually gives; `ALL` takes every one away. */
  capDrop?: string[];
  /** Of a trusted project alone: whoever makes the release has looked. */
  beyond: ServiceBeyond | null;
}

/** A network of the stack that it is on. */
export interface ServiceNetwork {
  name: string;
  isInternal: boolean;
  labels: Record<string, string>;
  /** The engine's own name of a network that is not the stack's; null for one that is. */
  externalName: string | null;
  driver: string | null;
  /** Every name that leads somewhere on this network, and the service that it leads to: also its own ones. */
  names: { name: string; service: string }[];
}

/** A port of the machine that leads into the container; `from` and `to` are the same unless any of a range will do. */
export interface ServicePort {
  target: number;
  protocol: 'tcp' | 'udp' | 'sctp';
  hostIp: string | null;
  published: { from: number; to: number };
}

/** What is mounted into the container. Named volumes outlive every container and are never removed with one. */
export type ServiceMount = { target: string; isReadOnly: boolean } & (
  | { type: 'volume'; volume: StackVolume; subpath: string | null; isCopied: boolean }
  | {
      type: 'bind';
      path: string;
      propagation: string | null;
      /** A folder, if nothing is there. */ isCreated?: boolean;
    }
  | { type: 'tmpfs'; sizeBytes: number | null; mode: number | null }
);

/** A volume of the stack by its name there, or one of the engine that somebody else has made. One without a name belongs to
 * the service and the path where it is mounted, and is found again by the next container. */
export interface StackVolume {
  name: string | null;
  externalName: string | null;
  driver: string | null;
  driverOptions: Record<string, string>;
  labels: Record<string, string>;
}

/** What opens the wall between the container and the machine. */
export interface ServiceBeyond {
  isPrivileged: boolean;
  capAdd: string[];
  securityOptions: string[];
  devices: string[];
  deviceCgroupRules: string[];
  gpus: string[];
  pid: string | null;
  ipc: string | null;
  userns: string | null;
  uts: string | null;
  cgroup: string | null;
  cgroupParent: string | null;
  runtime: string | null;
}

/** Runs the command of a release to its end, beside what runs of it. What an attempt before has left of it is ended first. */
export type RunOnce = (
  spec: ImageRelease,
  options: { signal: AbortSignal; onLine: (line: string, stream: LogLine['stream']) => void; deadlineMs: number },
) => Promise<{ exitCode: number }>;

/** One release, ready to be started. */
export type ReleaseSpec = FolderRelease | ImageRelease;

export type InstanceState = 'running' | 'restarting' | 'exited' | 'missing';

export interface Instance {
  id: string;
  /** The runtime that it runs on, where there are several. */
  runtime?: string;
  owner: Owner;
  state: InstanceState;
  /** Where it listens. The port is 0 for a service that is not reached by one of ours. */
  host: string;
  port: number;
  /** Who may listen there, where others on the machine could. */
  listener?: ListenerOwner;
  startedAt: number | null;
  restarts: number;
  exitCode: number | null;
  exitSignal: string | null;
  pid?: number;
  image?: string;
  imageId?: string;
  /** It runs, but nothing would start it again when it ends. `start` sees to that without touching it; `restart` cannot. */
  isOrphan?: true;
  /** Result of its health check, if it has one. */
  health?: 'starting' | 'healthy' | 'unhealthy';
  /** Something a person should know, such as that it runs as the service's own user. */
  notices: string[];
  /** Further replicas of the service, where somebody asked for all of it. */
  others?: Instance[];
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
  /** Which of several services has said it. */
  service?: string;
  replica?: number;
}

/** What a runtime notices by itself. */
export type RuntimeEvent =
  | { what: 'started' | 'out-of-memory' | 'healthy' | 'unhealthy'; owner: Owner; at: number }
  | { what: 'ended'; owner: Owner; at: number; exitCode: number }
  /** The engine answers, for the first time or again: whatever was known has to be looked at anew. */
  | { what: 'engine-there' };

/** On what an instance listens. */
export interface Listening {
  sockets: { address: string; port: number }[];
  /** The port where it is expected, as it is called in its own network. */
  port: number;
  /** Whether requests get to the socket. */
  isReached: (socket: { address: string; port: number }) => boolean;
}

/** Runs releases. Every call may be repeated after a crash: it finds its own objects by owner and goes on from there. */
export interface Runtime {
  readonly kind: string;
  /** Starts the release, or finds it running. An instance of an older fence of the same deployment is replaced; a call with
   * an older fence than what runs is refused. */
  start(spec: ReleaseSpec): Promise<Instance>;
  /** What it knows of a service of a deployment: its first replica, with the `others`. With a number, that replica alone.
   * Undefined when it never started or was removed. */
  find(deploymentId: string, service?: string, replica?: number): Promise<Instance | undefined>;
  /** Everything of this instance of Mooring, or what was started from releases of one kind. */
  list(kind?: ReleaseSpec['kind']): Promise<Instance[]>;
  restart(deploymentId: string, service?: string): Promise<Instance>;
  /** Asks it to end, waits as long as it says itself or else `graceMs`, then ends it. Logs stay. Nothing to stop is fine. Without a
   * service: everything of the deployment, here and below. Without a replica: all of them. */
  stop(deploymentId: string, graceMs: number, service?: string, replica?: number): Promise<void>;
  /** Stops and forgets it, logs included. Volumes stay. */
  remove(deploymentId: string, service?: string, replica?: number): Promise<void>;
  usage(deploymentId: string, service?: string, replica?: number): Promise<Usage | undefined>;
  logs(deploymentId: string, options: { tail?: number; since?: number; service?: string }): Promise<LogLine[]>;
  /** Undefined where it does not run, or nobody can tell. */
  listening?(deploymentId: string, service?: string): Promise<Listening | undefined>;
  /** From here on the app is reached on this port, on which it listens instead of the one that it was given. Undefined where it
   * does not listen there, or is not reached by its own ports. */
  follow?(deploymentId: string, port: number): Promise<Instance | undefined>;
}

/** A file that was written to a place that goes with the release. */
export interface WrittenFile {
  path: string;
  /** The topmost folder above it that the app has made; null where the release came with all of them. */
  newFolder: string | null;
}

/** What only a runtime of containers can: several services that find each other by name. */
export interface ServiceRuntime {
  /** Makes the container of a service, so that nothing but its start is left to `start`. One that is there already stays as it
   * is. */
  make(spec: ImageRelease): Promise<Instance>;
  /** From here on the names of the service lead to this container, for new connections; those that are open stay where they
   * are. Whoever had the names before goes on without them. Repeating it changes nothing. */
  promote(deploymentId: string, service: string): Promise<void>;
  /** Starts the container of a service again unless it runs. One that was asked to stop and has not ended yet is restarted: it
   * would end a moment later. Undefined when there is no container. */
  ensureRunning(deploymentId: string, service: string): Promise<Instance | undefined>;
  /** Stops the container of a service if `isUnneeded` still holds once no other call works on that container. */
  stopIf(deploymentId: string, service: string, graceMs: number, isUnneeded: () => Promise<boolean>): Promise<void>;
  /** Sends it a signal; nothing happens to one that does not run. */
  signal(deploymentId: string, service: string, signal: 'SIGHUP'): Promise<void>;
  /** Files that the containers of a service have written outside of its volumes: they go with the containers. */
  writtenFiles(deploymentId: string, service: string): Promise<WrittenFile[]>;
  /** Volumes of a stack, or of all stacks of a project: whose they are is on their labels. */
  volumes(of: { stack: string } | { projectId: string }): Promise<StackVolumeInfo[]>;
  /** For a project that is deleted with its data, when somebody asked for that. Gives the names of those that are gone. */
  removeVolumes(of: { projectId: string }): Promise<string[]>;
  /** One of ours, with its data. False while a container has it. */
  removeVolume(id: string): Promise<boolean>;
  /** In bytes, by their ids, as far as the engine has counted. */
  volumeSizes(): Promise<ReadonlyMap<string, number>>;
  /** What is at this path of a volume of ours, as a tar; undefined where there is nothing. */
  readVolume(id: string, path: string): Promise<Readable | undefined>;
  /** Makes a named volume of the stack, with this content. Any user may write to it. */
  makeVolume(owner: Owner, stack: string, name: string, content: AsyncIterable<WrittenEntry>): Promise<void>;
}

/** A volume that is there. */
export interface StackVolumeInfo {
  /** The engine's name. */
  id: string;
  /** Null for what the image of an app has declared until 0.1.0. */
  stack: string | null;
  /** As in the file; null for one without a name there. */
  name: string | null;
  service: string | null;
  /** Where it is mounted, for one without a name. */
  path: string | null;
  /** The deployment that it was made for, until 0.1.0. */
  deploymentId: string | null;
  /** Where it is on the machine of the engine. */
  folder: string | null;
  createdAt: number | null;
}
