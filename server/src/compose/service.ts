import type { SourceLine } from './problems.ts';
import type {
  AppBuild,
  ComposeBuild,
  ComposeMount,
  ComposePort,
  Dependency,
  FileUse,
  ComposeHealthcheck,
  ComposeIsolation,
  ComposeLimits,
  Restart,
} from './service-parts.ts';

export * from './service-parts.ts';

/** One service of a project, in one form whatever it was written in. Null and empty mean what the image says. */
export interface ComposeService {
  name: string;
  at: SourceLine;
  /** Where each of its fields was written, by its name in the file. */
  places: Record<string, SourceLine>;
  image: string | null;
  build: ComposeBuild | null;
  /** For what is built without a Dockerfile of its own: services of a request. */
  app: AppBuild | null;
  platform: string | null;
  pullPolicy: 'always' | 'missing' | 'never' | 'build';
  /** Null: the image's. An empty list: none. */
  command: string[] | null;
  entrypoint: string[] | null;
  /** Null: named, and nobody has given a value. It is not set then. */
  environment: Record<string, string | null>;
  labels: Record<string, string>;
  ports: ComposePort[];
  /** Ports that other services use: `80`, `53/udp`, `3000-3005`. */
  expose: string[];
  mounts: ComposeMount[];
  tmpfs: string[];
  volumesFrom: { service: string; isReadOnly: boolean }[];
  configs: FileUse[];
  secrets: FileUse[];
  networks: { name: string; aliases: string[] }[];
  /** Null: it is on its networks. `none`, `host`, `bridge`, `service:name`, `container:name`. */
  networkMode: string | null;
  links: { service: string; alias: string }[];
  externalLinks: string[];
  /** Another name that other services may use for it; containers are named by whoever makes them. */
  containerName: string | null;
  hostname: string | null;
  domainName: string | null;
  dns: string[];
  dnsOptions: string[];
  dnsSearch: string[];
  extraHosts: { host: string; address: string }[];
  dependsOn: Dependency[];
  healthcheck: ComposeHealthcheck | null;
  restart: Restart;
  replicas: number;
  limits: ComposeLimits;
  user: string | null;
  groups: string[];
  workingDirectory: string | null;
  hasInit: boolean | null;
  isReadOnly: boolean;
  hasTty: boolean;
  hasOpenInput: boolean;
  stopSignal: string | null;
  stopGraceMs: number | null;
  shmBytes: number | null;
  ulimits: Record<string, { soft: number; hard: number }>;
  sysctls: Record<string, string>;
  isolation: ComposeIsolation;
  /** Kept for whoever shows it: output is recorded by Mooring whatever stands here. */
  logging: { driver: string | null; options: Record<string, string> } | null;
}
