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

/** A service, in one form for all sources. Null and empty mean the image's default. */
export interface ComposeService {
  name: string;
  at: SourceLine;
  /** Line of each field, by its name in the file. */
  places: Record<string, SourceLine>;
  image: string | null;
  build: ComposeBuild | null;
  /** For services of a request without a Dockerfile. */
  app: AppBuild | null;
  platform: string | null;
  pullPolicy: 'always' | 'missing' | 'never' | 'build';
  /** Null for the image's, empty for none. */
  command: string[] | null;
  entrypoint: string[] | null;
  /** Null if named without a value; then it is not set. */
  environment: Record<string, string | null>;
  labels: Record<string, string>;
  ports: ComposePort[];
  /** Ports for other services: `80`, `53/udp`, `3000-3005`. */
  expose: string[];
  mounts: ComposeMount[];
  tmpfs: string[];
  volumesFrom: { service: string; isReadOnly: boolean }[];
  configs: FileUse[];
  secrets: FileUse[];
  /** `address` is its fixed IPv4 address there. */
  networks: { name: string; aliases: string[]; address?: string }[];
  /** Null for its networks. `none`, `host`, `bridge`, `service:name`, `container:name`. */
  networkMode: string | null;
  links: { service: string; alias: string }[];
  externalLinks: string[];
  /** Additional name for other services; Mooring names containers itself. */
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
  /** Shown only: Mooring records the output in any case. */
  logging: { driver: string | null; options: Record<string, string> } | null;
}
