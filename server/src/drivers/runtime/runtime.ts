import type { ListenerOwner } from '../host/listeners.ts';
import type { Readable } from 'node:stream';
import type { WrittenEntry } from '../../lib/archive/writer.ts';
import type { ContainerData } from './container-data.ts';
import type { AppUser } from '../host/sandbox.ts';

/** Ownership, recorded on every object in an engine. */
export interface Owner {
  instanceId: string;
  organizationId: string;
  projectId: string;
  deploymentId: string;
  /** `app`, or the name of a service. */
  service: string;
  /** Number of a replica, from 2 on; the first has none. */
  replica?: number;
  /** Incremented by each worker that takes over a deployment; calls with an older fence are rejected. */
  fence: number;
}

interface AnyRelease {
  owner: Owner;
  env: Record<string, string>;
  /** Names of the variables whose values are redacted in logs. */
  secretKeys: string[];
  /** Host port; undefined: the runtime allocates one of its range. */
  port?: number;
  memoryBytes?: number;
}

/** A built app in a folder, for the process runtime. */
export interface FolderRelease extends AnyRelease {
  kind: 'folder';
  folder: string;
  /** The user's command line, passed whole to `sh -c` without interpolation. The app listens on `PORT`. */
  command: string;
  /** Folders prepended to `PATH`. */
  programs?: string[];
  /** The whole release, if the app's folder is a part of it. */
  releaseFolder?: string;
  /** Writable folders outside the release. */
  volumes?: string[];
  /** Folders of tools, which it may read. */
  tools?: string[];
  /** The project's own user; null where the service cannot choose one. */
  user: AppUser | null;
}

/** A built app as an image in the engine. */
export interface ImageRelease extends AnyRelease {
  kind: 'image';
  /** Name for display. */
  image: string;
  /** `sha256:...` as the engine reports it: exactly this image runs, whatever the name refers to by now. */
  imageId: string;
  /** Overrides the image's command. */
  command?: string[];
  /** Overrides the image's entrypoint. */
  entrypoint?: string[];
  /** Container port that Mooring connects to; an app gets it as `PORT`. Null for a service without one. */
  listensOn: number | null;
  /** Number of CPUs; may be fractional. */
  cpus?: number;
  /** Overrides the image's health check; null disables it. */
  healthcheck?: ContainerHealthcheck | null;
  /** Minimum interval of health checks, whoever defines them: the engine's work for them is not limited otherwise. */
  leastHealthIntervalMs?: number;
  confinement?: Confinement;
  service: ServiceOptions;
}

/** A command that the engine runs inside the container; exit code 0 means healthy. */
export interface ContainerHealthcheck {
  /** Empty: the image's own command with other timings; 0 keeps the value of the image or the engine. */
  command: string[];
  intervalMs: number;
  timeoutMs: number;
  retries: number;
  startPeriodMs: number;
}

/** Exceptions from the default confinement, declared by the provider that wrote the Dockerfile or by the project's
 * settings. */
export interface Confinement {
  /** It writes outside `/tmp`, `/run` and its volumes. */
  writableRoot?: boolean;
  /** Folders on tmpfs, for caches that may be lost, where the root is read-only. */
  memory?: string[];
  /** Linux capabilities, such as `NET_ADMIN`. Undefined: those that the image's user needs (see the driver). */
  capabilities?: string[];
}

/** Settings of a container in a stack: names, networks, volumes, ports and the options of its file. Its environment
 * is exactly the release's; its root is writable unless the confinement says otherwise. */
export interface ServiceOptions {
  /** `<projectId>/<environment>`: names, networks and volumes belong to the stack. */
  stack: string;
  /** The only service of an app: confined by default (see `Confinement`), and its output carries no service name. */
  isApp?: true;
  /** Whether its names resolve to it from its start, because no container holds them. Otherwise from `promote` on. */
  isNamedAtOnce: boolean;
  /** Empty if `networkMode` is set. */
  networks: ServiceNetwork[];
  /** Subnets of all networks of the stack; its other networks get other addresses. */
  reservedSubnets?: string[];
  networkMode: { kind: 'none' | 'host' } | { kind: 'service'; deploymentId: string; service: string } | null;
  /** Published host ports, besides the one that Mooring connects to. */
  ports: ServicePort[];
  mounts: ServiceMount[];
  /** Restart policy. With `no`, an exit is final. */
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
  /** Including swap; -1: unlimited. */
  memorySwapBytes: number | null;
  /** Capabilities to drop from the engine's default set; `ALL` drops every one. */
  capDrop?: string[];
  /** For trusted projects only; the caller has checked that. */
  beyond: ServicePrivileges | null;
}

/** A network of the stack. */
export interface ServiceNetwork {
  name: string;
  isInternal: boolean;
  labels: Record<string, string>;
  /** The engine's name of a network outside the stack; null for one of the stack. */
  externalName: string | null;
  driver: string | null;
  /** Every name that resolves on this network, and its service, including its own names. */
  names: { name: string; service: string }[];
  /** IPv4 addresses of the network; the engine chooses them if it is missing. */
  subnet?: ServiceSubnet;
  /** Its own fixed address. */
  address?: string;
}

export interface ServiceSubnet {
  subnet: string;
  gateway: string | null;
  /** The part that the engine assigns addresses from. */
  range: string | null;
  /** Fixed addresses of the stack's services, which the engine must not give to others. */
  fixed: string[];
}

/** A subnet that a network cannot have, and what has its addresses. */
export interface SubnetConflict {
  network: string;
  subnet: string;
  holder: string;
  /** A network of the same stack that is in use has the addresses. */
  isOwn: boolean;
  /** No service has a fixed address there: the engine will choose other addresses. */
  isOptional: boolean;
}

/** A published host port; `from` and `to` are equal unless any port of a range will do. */
export interface ServicePort {
  target: number;
  protocol: 'tcp' | 'udp' | 'sctp';
  hostIp: string | null;
  published: { from: number; to: number };
}

/** A mount. Named volumes outlive containers and are never removed with one. */
export type ServiceMount = { target: string; isReadOnly: boolean } & (
  | { type: 'volume'; volume: StackVolume; subpath: string | null; isCopied: boolean }
  | {
      type: 'bind';
      path: string;
      propagation: string | null;
      /** Creates a missing folder. */ isCreated?: boolean;
    }
  | { type: 'tmpfs'; sizeBytes: number | null; mode: number | null }
);

/** A volume named in the stack, or an existing one of the engine. An anonymous one belongs to the service and its
 * mount path, and is reused by the next container. */
export interface StackVolume {
  name: string | null;
  externalName: string | null;
  driver: string | null;
  driverOptions: Record<string, string>;
  labels: Record<string, string>;
}

/** Privileges that weaken the isolation from the host. */
export interface ServicePrivileges {
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

/** Runs the command of a release to completion, beside its running containers. Removes leftovers of an earlier
 * attempt first. */
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
  /** Its address. The port is 0 for a service without an allocated one. */
  host: string;
  port: number;
  /** It listens on a port of its own choice instead of the assigned one. */
  ignoresPort?: true;
  /** Expected owner of the port, where other processes on the machine could take it. */
  listener?: ListenerOwner;
  startedAt: number | null;
  restarts: number;
  exitCode: number | null;
  exitSignal: string | null;
  pid?: number;
  image?: string;
  imageId?: string;
  /** It runs without a supervisor, so nothing would restart it. `start` adopts it without touching it; `restart`
   * cannot. */
  isOrphan?: true;
  /** Result of its health check, if it has one. */
  health?: 'starting' | 'healthy' | 'unhealthy';
  /** Notices for the user, such as that it runs as the service's own user. */
  notices: string[];
  /** Further replicas, when all of them were requested. */
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
  /** The service that logged it, where there are several. */
  service?: string;
  replica?: number;
}

/** Events that a runtime reports. */
export type RuntimeEvent =
  | { what: 'started' | 'out-of-memory' | 'healthy' | 'unhealthy'; owner: Owner; at: number }
  | { what: 'ended'; owner: Owner; at: number; exitCode: number }
  /** The engine is reachable, for the first time or again: known state may be stale. */
  | { what: 'engine-there' };

/** Listening sockets of an instance. */
export interface Listening {
  sockets: { address: string; port: number }[];
  /** The expected port, in its own network namespace. */
  port: number;
  /** Whether requests reach the socket. */
  isReached: (socket: { address: string; port: number }) => boolean;
}

/** Runs releases. Every call is idempotent: after a crash it finds its own objects by owner and continues. */
export interface Runtime {
  readonly kind: string;
  /** Starts the release or finds it running. Replaces an instance with an older fence of the same deployment; rejects
   * a call with an older fence than the running instance. Tells what takes long. */
  start(spec: ReleaseSpec, tell?: (line: string) => void): Promise<Instance>;
  /** Returns a service of a deployment: its first replica with the `others`, or one replica by number. Undefined when
   * it never started or was removed. */
  find(deploymentId: string, service?: string, replica?: number): Promise<Instance | undefined>;
  /** Returns all instances of this Mooring instance, or those of one kind of release. */
  list(kind?: ReleaseSpec['kind']): Promise<Instance[]>;
  restart(deploymentId: string, service?: string): Promise<Instance>;
  /** Stops it gracefully, then kills it after its own grace period or `graceMs`. Logs stay. Does nothing if it does
   * not run. Without a service: the whole deployment, here and below. Without a replica: all of them. */
  stop(deploymentId: string, graceMs: number, service?: string, replica?: number): Promise<void>;
  /** Freezes its processes until `resume`. Does nothing if it does not run. */
  pause(deploymentId: string, service?: string): Promise<void>;
  resume(deploymentId: string, service?: string): Promise<void>;
  /** Stops and removes it with its logs. Volumes stay. */
  remove(deploymentId: string, service?: string, replica?: number): Promise<void>;
  usage(deploymentId: string, service?: string, replica?: number): Promise<Usage | undefined>;
  logs(deploymentId: string, options: { tail?: number; since?: number; service?: string }): Promise<LogLine[]>;
  /** Returns undefined if it does not run or cannot be inspected. */
  listening?(deploymentId: string, service?: string): Promise<Listening | undefined>;
  /** Routes to another port, on which the app listens instead of the assigned one. Returns undefined if it does not
   * listen there, or is not reached by its own ports. */
  follow?(deploymentId: string, port: number): Promise<Instance | undefined>;
}

/** A file that the app wrote and that is lost with the release. */
export interface WrittenFile {
  path: string;
  /** Topmost new folder above it; null if the release contains all of them. */
  newFolder: string | null;
}

/** Features of container runtimes only: several services that resolve each other by name. */
export interface ServiceRuntime {
  /** Creates the container of a service, so that `start` only has to start it. Keeps an existing one. */
  make(spec: ImageRelease): Promise<Instance>;
  /** Returns the subnets of the stack's networks that overlap with other networks or routes of the machine. */
  subnetConflicts(stack: string, networks: readonly ServiceNetwork[]): Promise<SubnetConflict[]>;
  /** Points the names of the service to this container for new connections; open ones stay. The previous holder keeps
   * running without them. Idempotent. */
  promote(deploymentId: string, service: string): Promise<void>;
  /** Starts the container of a service unless it runs. Restarts one that is being stopped, since it would exit a
   * moment later. Undefined when there is no container. */
  ensureRunning(deploymentId: string, service: string): Promise<Instance | undefined>;
  /** Stops the container of a service if `isUnneeded` still holds once no other call works on that container. */
  stopIf(deploymentId: string, service: string, graceMs: number, isUnneeded: () => Promise<boolean>): Promise<void>;
  /** Sends a signal; does nothing if it does not run. */
  signal(deploymentId: string, service: string, signal: 'SIGHUP'): Promise<void>;
  /** Returns files that the containers of a service have written outside its volumes; they are lost with the
   * containers. */
  writtenFiles(deploymentId: string, service: string): Promise<WrittenFile[]>;
  /** Returns volumes of a stack, or of all stacks of a project, by their labels. */
  volumes(of: { stack: string } | { projectId: string }): Promise<StackVolumeInfo[]>;
  /** Removes the volumes of a project that is deleted with its data. Returns their names. */
  removeVolumes(of: { projectId: string }): Promise<string[]>;
  /** Removes one of our volumes with its data. Returns false while a container uses it. */
  removeVolume(id: string): Promise<boolean>;
  /** Returns sizes in bytes by volume id, as far as the engine knows them. */
  volumeSizes(): Promise<ReadonlyMap<string, number>>;
  /** Returns a path of one of our volumes as a tar; undefined if it does not exist. */
  readVolume(id: string, path: string): Promise<Readable | undefined>;
  /** Creates a named volume of the stack with this content, writable for every user. */
  makeVolume(owner: Owner, stack: string, name: string, content: AsyncIterable<WrittenEntry>): Promise<void>;
  /** Brings an image to all machines that may run it, so that moving its service there takes no longer than a start. */
  spreadImage?(imageId: string): Promise<void>;
  readonly data: ContainerData;
}

/** An existing volume. */
export interface StackVolumeInfo {
  /** The engine's name. */
  id: string;
  /** Null for a volume declared by an app's image up to 0.1.0. */
  stack: string | null;
  /** As in the file; null for an anonymous one. */
  name: string | null;
  service: string | null;
  /** Mount path of an anonymous one. */
  path: string | null;
  /** Deployment that it was created for, up to 0.1.0. */
  deploymentId: string | null;
  /** Path on the engine's machine. */
  folder: string | null;
  createdAt: number | null;
}
