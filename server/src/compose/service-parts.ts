import type { SourceLine } from './problems.ts';

/**
 * A path in a compose file. Inside, it is relative to the source (`''` is its root). Outside, it begins with `..`,
 * or is kept as written.
 */
export interface PathInSource {
  path: string;
  isInside: boolean;
}

/** A git repository that a build uses instead of the source. */
export interface ComposeRepository {
  url: string;
  /** A branch, tag or commit; null for the default branch. */
  ref: string | null;
  /** Where it is fetched to in the source. */
  folder: string;
  written: string;
}

export interface ComposeBuild {
  context: PathInSource;
  /** The repository that the context is a folder of. */
  repository?: ComposeRepository;
  /** Relative to the context. */
  dockerfile: string | null;
  dockerfileInline: string | null;
  /** Null if named without a value. */
  args: Record<string, string | null>;
  target: string | null;
  additionalContexts: { name: string; from: PathInSource | { reference: string } }[];
  secrets: FileUse[];
  labels: Record<string, string>;
  network: string | null;
  extraHosts: { host: string; address: string }[];
  shmBytes: number | null;
  platforms: string[];
  isWithoutCache: boolean;
  isPulling: boolean;
  isPrivileged: boolean;
  entitlements: string[];
  at: SourceLine;
}

/** Build settings of an app; null means as detected. */
export interface AppBuild {
  rootDirectory: string;
  installCommand: string | null;
  buildCommand: string | null;
  startCommand: string | null;
  outputDirectory: string | null;
  framework: string | null;
  packageManager: string | null;
  port: number | null;
}

/** A container port. `published` is the host port, a range to choose from, or null for any. */
export interface ComposePort {
  target: number;
  published: { from: number; to: number } | null;
  hostIp: string | null;
  /** The source says that requests go to this port, even if the service is a database. */
  isWeb?: true;
  protocol: 'tcp' | 'udp' | 'sctp';
  at: SourceLine;
}

interface MountBase {
  target: string;
  isReadOnly: boolean;
  /** Added by the project settings, not by the file. */
  isOfProject?: true;
  /** Two versions of the service may write to it concurrently. */
  isShared?: true;
  at: SourceLine;
}

export type ComposeMount =
  | (MountBase & { type: 'volume'; volume: string | null; subpath: string | null; isCopied: boolean })
  | (MountBase & {
      type: 'bind';
      source: PathInSource;
      propagation: string | null;
      isCreated: boolean;
      /** The content of the file, if the compose file has it. */
      content?: string;
    })
  | (MountBase & { type: 'tmpfs'; sizeBytes: number | null; mode: number | null });

/** A config or secret in a container or build. */
export interface FileUse {
  source: string;
  target: string;
  uid: string | null;
  gid: string | null;
  mode: number | null;
  at: SourceLine;
}

export const conditions = ['service_started', 'service_healthy', 'service_completed_successfully'] as const;

/** A service that has to start first. */
export interface Dependency {
  service: string;
  condition: (typeof conditions)[number];
  isRequired: boolean;
  /** Whether this service restarts with it. */
  isRestarted: boolean;
  at: SourceLine;
}

/** Health check of the engine; `test` is null to change only the times of the image's check. */
export interface ComposeHealthcheck {
  isDisabled: boolean;
  test: string[] | null;
  intervalMs: number | null;
  timeoutMs: number | null;
  startPeriodMs: number | null;
  startIntervalMs: number | null;
  retries: number | null;
}

export interface Restart {
  policy: 'no' | 'always' | 'unless-stopped' | 'on-failure';
  /** For `on-failure`; null for unlimited. */
  maxAttempts: number | null;
  /** Whether the file sets it. */
  isGiven: boolean;
}

/** Resource limits; null for none. */
export interface ComposeLimits {
  cpus: number | null;
  memoryBytes: number | null;
  memoryReservationBytes: number | null;
  /** Includes swap; -1 for unlimited. */
  memorySwapBytes: number | null;
  pids: number | null;
}

/** Settings that weaken the isolation. Escapes are derived from these. */
export interface ComposeIsolation {
  isPrivileged: boolean;
  capAdd: string[];
  capDrop: string[];
  securityOptions: string[];
  devices: string[];
  deviceCgroupRules: string[];
  /** As written in the file. */
  gpus: string[];
  /** From `deploy.resources.reservations`, as written in the file. */
  reservedDevices: string[];
  pid: string | null;
  ipc: string | null;
  userns: string | null;
  uts: string | null;
  cgroup: string | null;
  cgroupParent: string | null;
  runtime: string | null;
  hasEngineSocket: boolean;
}
