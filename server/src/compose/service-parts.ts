import type { SourceLine } from './problems.ts';

/** A path of the machine that compose runs on. Inside it is relative to the source (`''` is its root); what leads out of
 * the source is kept as it was written. */
export interface PathInSource {
  path: string;
  isInside: boolean;
}

/** How an image is built. */
export interface ComposeBuild {
  context: PathInSource;
  /** Relative to the context. */
  dockerfile: string | null;
  dockerfileInline: string | null;
  /** Null: named, and nobody has given a value. */
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

/** The build fields of an app, as a project has them: null means what was detected. */
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

/** A port of the container. `published` is what it is on the machine: a port, a range to choose from, or null for any. */
export interface ComposePort {
  target: number;
  published: { from: number; to: number } | null;
  hostIp: string | null;
  protocol: 'tcp' | 'udp' | 'sctp';
  at: SourceLine;
}

interface MountBase {
  target: string;
  isReadOnly: boolean;
  /** Added by the project's settings, and not by the file. */
  isOfProject?: true;
  /** Two versions of the service may write to it at once. */
  isShared?: true;
  at: SourceLine;
}

/** What is mounted into a container. */
export type ComposeMount =
  | (MountBase & { type: 'volume'; volume: string | null; subpath: string | null; isCopied: boolean })
  | (MountBase & { type: 'bind'; source: PathInSource; propagation: string | null; isCreated: boolean })
  | (MountBase & { type: 'tmpfs'; sizeBytes: number | null; mode: number | null });

/** A config or a secret in a container, or in a build. */
export interface FileUse {
  source: string;
  target: string;
  uid: string | null;
  gid: string | null;
  mode: number | null;
  at: SourceLine;
}

export const conditions = ['service_started', 'service_healthy', 'service_completed_successfully'] as const;

/** Another service that must be there first. */
export interface Dependency {
  service: string;
  condition: (typeof conditions)[number];
  isRequired: boolean;
  /** Whether this one is restarted with it. */
  isRestarted: boolean;
  at: SourceLine;
}

/** How the engine finds out whether it works; `test` is null where only the times of the image's check are changed. */
export interface ComposeHealthcheck {
  isDisabled: boolean;
  test: string[] | null;
  intervalMs: number | null;
  timeoutMs: number | null;
  startPeriodMs: number | null;
  startIntervalMs: number | null;
  retries: number | null;
}

/** What happens when it ends. */
export interface Restart {
  policy: 'no' | 'always' | 'unless-stopped' | 'on-failure';
  /** Of `on-failure`; null: as often as it takes. */
  maxAttempts: number | null;
  /** Whether the file says so, or nobody does. */
  isGiven: boolean;
}

/** What it may use; null is no limit. */
export interface ComposeLimits {
  cpus: number | null;
  memoryBytes: number | null;
  memoryReservationBytes: number | null;
  /** With swap; -1 is without a limit. */
  memorySwapBytes: number | null;
  pids: number | null;
}

/** What opens the wall between the container and the machine. Escapes are read from here. */
export interface ComposeIsolation {
  isPrivileged: boolean;
  capAdd: string[];
  capDrop: string[];
  securityOptions: string[];
  devices: string[];
  deviceCgroupRules: string[];
  /** Each in the words of the file. */
  gpus: string[];
  /** Of `deploy.resources.reservations`, each in the words of the file. */
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
