import { homedir, hostname } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { defaultDataDir } from './default-data-dir.ts';
import {
  addressRanges,
  httpUrl,
  labelList,
  nameServers,
  oneOf,
  optionalPort,
  partOfNumber,
  platformList,
  releaseFolder,
  uidRange,
  webAddress,
  wholeNumber,
} from './setting-kinds.ts';

type Setting<T extends z.ZodType> = {
  group: string;
  variable: string;
  description: string;
  /** Default as shown in the documentation. */
  shown?: string;
  /** Its name in earlier versions, which still works. */
  formerly?: string;
  schema: T;
};

const settingsOf = (group: string) => {
  return <T extends z.ZodType>(variable: string, schema: T, description: string, shown?: string): Setting<T> => {
    return { group, variable, schema, description, shown };
  };
};

const formerly = <T extends z.ZodType>(name: string, setting: Setting<T>): Setting<T> => ({
  ...setting,
  formerly: name,
});

const start = settingsOf('Start');
const access = settingsOf('Access');
const deployments = settingsOf('Deployments');
const domains = settingsOf('Domains and certificates');
const servers = settingsOf('Servers');
const backups = settingsOf('Backups');
const githost = settingsOf('Git host');
const cloud = settingsOf('Cloud');
const limits = settingsOf('Limits');

/** All settings with their schema and documentation. */
export const settings = {
  port: start('PORT', wholeNumber(0, 65_535, 4600), 'Port of the API and dashboard; `0`: any free port.', '`4600`'),
  host: start(
    'HOST',
    z.string().default('127.0.0.1'),
    'Address to listen on. Use `0.0.0.0` if the TLS proxy in front of it is on another machine.',
    '`127.0.0.1`',
  ),
  drainSeconds: start(
    'MOORING_DRAIN_SECONDS',
    wholeNumber(0, 300, 0),
    'Behind a load balancer: how long the service goes on answering after SIGTERM while `GET /api/health` returns 503. ' +
      'Set it to more than the balancer needs to notice. A second signal stops the service at once.',
    '`0`',
  ),
  dataDir: start(
    'MOORING_DATA_DIR',
    z
      .string()
      .default(() => defaultDataDir(process.getuid?.() === 0, homedir()))
      .transform((path) => resolve(path)),
    'Data folder: database, instance key, releases and volumes. Mooring writes nowhere else.',
    '`~/.mooring`; for root `/var/lib/mooring`, unless `~/.mooring` is in use',
  ),
  mode: start(
    'MOORING_MODE',
    oneOf(['self-hosted', 'cloud'], 'self-hosted'),
    '`self-hosted`, or `cloud` for a hosted multi-tenant service.',
    '`self-hosted`',
  ),
  publicUrl: start(
    'MOORING_PUBLIC_URL',
    httpUrl.optional(),
    'Public address of this instance, for links and same-origin checks. For `https://` with a host name and the public HTTPS port of the edge, the edge serves the dashboard there and Mooring issues its certificate, unless `MOORING_ACME_DIRECTORY` is `none` or a proxy on this machine is trusted (`MOORING_TRUSTED_PROXIES`).',
    'the listening address',
  ),
  databaseUrl: start(
    'DATABASE_URL',
    z
      .string()
      .regex(/^postgres(ql)?:\/\//, { error: 'must begin with postgres:// or postgresql://' })
      .optional(),
    'PostgreSQL database instead of the embedded SQLite; required for several replicas.',
    'embedded SQLite',
  ),
  logLevel: start(
    'MOORING_LOG_LEVEL',
    oneOf(['debug', 'info', 'warn', 'error', 'silent'], 'info'),
    '`debug`, `info`, `warn`, `error` or `silent`. Successful reads are logged at `debug`.',
    '`info`',
  ),
  logFormat: start(
    'MOORING_LOG_FORMAT',
    oneOf(['auto', 'json', 'text'], 'auto'),
    '`json`, `text`, or `auto`: text on a terminal, JSON elsewhere.',
    '`auto`',
  ),
  updateUrl: start(
    'MOORING_UPDATE_URL',
    releaseFolder,
    'Web address of the folder with releases of Mooring. The service looks there once a day for a new version, and `mooring update` downloads from there; `none` turns the check off.',
    '`none`',
  ),
  trustedProxies: start(
    'MOORING_TRUSTED_PROXIES',
    addressRanges.prefault(''),
    'Addresses or CIDR ranges of trusted proxies in front of Mooring and apps, whose `X-Forwarded-*` headers are used, also by edges on servers unless in cloud mode.',
  ),
  adminEmail: access(
    'MOORING_ADMIN_EMAIL',
    z.email({ error: 'must be an e-mail address' }).optional(),
    'Unattended set-up: the first owner. Used once, while no owner exists.',
  ),
  adminPassword: access(
    'MOORING_ADMIN_PASSWORD',
    z.string().min(8, { error: 'must have at least 8 characters' }).max(256).optional(),
    'Unattended set-up: password of the first owner.',
  ),
  adminToken: access(
    'MOORING_ADMIN_TOKEN',
    z
      .string()
      .regex(/^mrg_pat_[A-Za-z0-9_-]{43}$/, { error: 'must be mrg_pat_ and 43 url-safe characters' })
      .optional(),
    'Unattended set-up: a token of the first owner that is valid from the first start; `mrg_pat_` and 43 url-safe characters.',
  ),
  secretKey: access(
    'MOORING_SECRET_KEY',
    z.string().optional(),
    'Key that encrypts stored secrets: 32 random bytes in base64 or hex (`openssl rand -base64 32`). Set it when several replicas share a database.',
    'generated, kept in the data folder',
  ),
  previousSecretKey: access(
    'MOORING_SECRET_KEY_PREVIOUS',
    z.string().optional(),
    'Previous key during a rotation, until `mooring key rotate` has run.',
  ),
  sessionDays: access('MOORING_SESSION_DAYS', wholeNumber(1, 365, 30), 'Days until a browser session expires.', '`30`'),
  auditDays: access('MOORING_AUDIT_DAYS', wholeNumber(1, 3650, 365), 'Days that audit entries are kept.', '`365`'),
  runtime: deployments(
    'MOORING_RUNTIME',
    oneOf(['auto', 'process', 'docker', 'swarm'], 'auto'),
    'How releases run. `process`: as supervised processes of this machine. `docker`: as containers of the engine at `DOCKER_HOST`. `swarm`: as services of the Docker Swarm that this engine manages. `auto`: `docker` once an engine responds there.',
    '`auto`',
  ),
  swarmRegistry: formerly(
    'MOORING_SWARM_REGISTRY',
    deployments(
      'MOORING_REGISTRY',
      z
        .string()
        .regex(/^[a-z0-9.-]+(:\d+)?(\/[a-z0-9._-]+)*$/, {
          error: 'must be a registry such as registry.example.com/apps',
        })
        .optional(),
      'Registry through which the nodes of a Swarm get images, and build workers deliver them.',
      'Mooring runs one in the Swarm',
    ),
  ),
  swarmRegistryUser: formerly(
    'MOORING_SWARM_REGISTRY_USER',
    deployments('MOORING_REGISTRY_USER', z.string().optional(), 'User name for `MOORING_REGISTRY`.'),
  ),
  swarmRegistryPassword: formerly(
    'MOORING_SWARM_REGISTRY_PASSWORD',
    deployments('MOORING_REGISTRY_PASSWORD', z.string().optional(), 'Password for `MOORING_REGISTRY`.'),
  ),
  workerName: deployments(
    'MOORING_WORKER_NAME',
    z
      .string()
      .regex(/^[\w.-]{1,63}$/, { error: 'must be letters, digits, dots and dashes' })
      .default(() => hostname()),
    'Name of a build worker.',
    'the host name',
  ),
  workerLabels: deployments(
    'MOORING_WORKER_LABELS',
    labelList,
    'Labels of a build worker, separated by commas: `gpu,team=web`. Projects ask for them with `buildLabels`.',
  ),
  workerPlatforms: deployments(
    'MOORING_WORKER_PLATFORMS',
    platformList,
    'Platforms that a build worker builds, separated by commas: `linux/amd64,linux/arm64`.',
    'the platform of its engine',
  ),
  swarmRegistryImage: deployments(
    'MOORING_SWARM_REGISTRY_IMAGE',
    z.string().min(1).default('registry:2'),
    'Image of the registry that Mooring runs in a Swarm.',
    '`registry:2`',
  ),
  swarmRegistryPort: deployments(
    'MOORING_SWARM_REGISTRY_PORT',
    wholeNumber(1, 65_535, 19_505),
    'Port of 127.0.0.1 on which the nodes of a Swarm reach the registry that Mooring runs there.',
    '`19505`',
  ),
  dockerHost: deployments(
    'DOCKER_HOST',
    z.string().default('unix:///var/run/docker.sock'),
    'Socket of the container engine, or `tcp://` and a private address.',
    '`unix:///var/run/docker.sock`',
  ),
  containerAddress: deployments(
    'MOORING_CONTAINER_ADDRESS',
    z.ipv4({ error: 'must be an IPv4 address' }).default('127.0.0.1'),
    'Address that container ports are bound to; the edge connects to them there.',
    '`127.0.0.1`',
  ),
  buildCacheMb: deployments(
    'MOORING_BUILD_CACHE_MB',
    wholeNumber(0, 1_000_000, 10_000),
    'Megabytes of build cache to keep in the engine; least recently used entries are removed first.',
    '`10000`',
  ),
  npmRegistry: deployments(
    'MOORING_NPM_REGISTRY',
    webAddress.default('https://registry.npmjs.org'),
    'npm registry, such as a mirror, that Node.js, package managers and packages of apps without Docker are downloaded from.',
    '`https://registry.npmjs.org`',
  ),
  edgePort: deployments('MOORING_EDGE_PORT', wholeNumber(0, 65_535, 4680), 'HTTP port of deployed apps.', '`4680`'),
  edgeHost: deployments(
    'MOORING_EDGE_HOST',
    z.string().default('127.0.0.1'),
    'Address that the edge listens on.',
    '`127.0.0.1`',
  ),
  edgeTlsPort: deployments(
    'MOORING_EDGE_TLS_PORT',
    wholeNumber(0, 65_535, 4643),
    'HTTPS port of deployed apps.',
    '`4643`',
  ),
  edgePublicPort: deployments(
    'MOORING_EDGE_PUBLIC_PORT',
    optionalPort,
    'Public port that is forwarded to `MOORING_EDGE_PORT`, usually `80`.',
    'the port itself',
  ),
  edgePublicTlsPort: deployments(
    'MOORING_EDGE_PUBLIC_TLS_PORT',
    optionalPort,
    'Public port that is forwarded to `MOORING_EDGE_TLS_PORT`, usually `443`.',
    'the port itself',
  ),
  edgeWorkers: deployments(
    'MOORING_EDGE_WORKERS',
    wholeNumber(0, 64, 0),
    'Number of processes that serve requests at the edge of this machine. Each takes about 60 MB, and applies `MOORING_EDGE_ADDRESS_LIMIT` on its own. `0`: one for every two cores, at least 1 and at most 4.',
    '`0`',
  ),
  edgeAddressLimit: deployments(
    'MOORING_EDGE_ADDRESS_LIMIT',
    wholeNumber(0, 1_000_000, 1000),
    'Concurrent connections and requests per client address (IPv6: per /64 network) at each edge; more get 429 with `Retry-After`. Trusted proxies are not limited, but the clients behind them are. `0`: no limit.',
    '`1000`',
  ),
  baseDomain: deployments(
    'MOORING_BASE_DOMAIN',
    z
      .string()
      .regex(/^[a-z0-9.-]+$/, { error: 'must be a domain name' })
      .default('localhost'),
    'Base domain of generated addresses: `<slug>.` and this domain.',
    '`localhost`',
  ),
  localSourceRoots: deployments(
    'MOORING_LOCAL_SOURCE_ROOTS',
    z
      .string()
      .default('')
      .transform((list) =>
        list
          .split(':')
          .filter(Boolean)
          .map((path) => resolve(path)),
      ),
    'Folders that may contain local sources, separated by colons. With the default, only the instance owner may use local sources; with this setting, everybody with `project:write`. Hidden folders, home folders and folders of Mooring itself are always refused.',
    'the working folder, your home and the temporary folder, for the instance owner alone',
  ),
  processIsolation: deployments(
    'MOORING_PROCESS_ISOLATION',
    oneOf(['auto', 'none'], 'auto'),
    'When Mooring is not root and apps run as processes: `auto` confines each app and build by user namespaces; where the ' +
      'machine has none, only owners and admins of the first organization deploy. `none` runs them with the rights of the ' +
      'service, which includes reading its key and the secrets of every project. Has no effect for root, where each project ' +
      'has a user of its own.',
    '`auto`',
  ),
  processLimit: deployments(
    'MOORING_PROCESS_LIMIT',
    wholeNumber(64, 4_000_000, 2048),
    'Processes and threads of one project (as root) or of one app or build (by namespaces), where apps run as processes. ' +
      'Before Linux 5.14 it counts all processes of the user of Mooring.',
    '`2048`',
  ),
  projectUids: deployments(
    'MOORING_PROJECT_UIDS',
    uidRange.optional(),
    'As root: numeric users for projects, such as `1900000000-1900065535`. A project keeps its user.',
    '65536 users from 1879048192 up, chosen by the instance',
  ),
  projectsPerOrganization: deployments(
    'MOORING_PROJECTS_PER_ORGANIZATION',
    wholeNumber(0, 1_000_000, 0),
    'Projects of one organization; `0` for no limit.',
    '`0`',
  ),
  buildsAtOnce: deployments('MOORING_BUILDS_AT_ONCE', wholeNumber(1, 64, 2), 'Concurrent builds per replica.', '`2`'),
  buildTimeout: deployments(
    'MOORING_BUILD_TIMEOUT',
    wholeNumber(1, 86_400, 1800),
    'Build timeout in seconds.',
    '`1800`',
  ),
  startTimeout: deployments(
    'MOORING_START_TIMEOUT',
    wholeNumber(1, 3600, 60),
    'Health check timeout of a new release in seconds.',
    '`60`',
  ),
  engineTimeout: deployments(
    'MOORING_ENGINE_TIMEOUT',
    wholeNumber(1, 86_400, 600),
    'Seconds that a deployment waits for a container engine that does not respond.',
    '`600`',
  ),
  promptTimeout: deployments(
    'MOORING_PROMPT_TIMEOUT',
    wholeNumber(1, 604_800, 1800),
    'Seconds that a deployment waits for an answer to its question.',
    '`1800`',
  ),
  publicAddresses: domains(
    'MOORING_PUBLIC_ADDRESSES',
    addressRanges.optional(),
    'Public IP addresses of a router or load balancer in front of this machine. Names may point there unchecked.',
    'those of this machine',
  ),
  dnsServers: domains(
    'MOORING_DNS_SERVERS',
    nameServers.optional(),
    'Name servers for DNS checks, such as `1.1.1.1` or `10.0.0.2:5353`, separated by commas.',
    'those of this machine',
  ),
  acmeDirectory: domains(
    'MOORING_ACME_DIRECTORY',
    z
      .union([z.literal('none'), z.url({ error: 'must be the URL of an ACME directory, or none' })])
      .default('https://acme-v02.api.letsencrypt.org/directory'),
    'ACME directory of the certificate authority. `none`: uploaded certificates only.',
    "Let's Encrypt",
  ),
  acmeEmail: domains(
    'MOORING_ACME_EMAIL',
    z.email({ error: 'must be an e-mail address' }).optional(),
    'Contact e-mail address for the certificate authority.',
  ),
  acmeCaFile: domains(
    'MOORING_ACME_CA_FILE',
    z.string().optional(),
    'CA certificate (PEM file) of a private certificate authority.',
    'those of the system',
  ),
  acmeKeyId: domains(
    'MOORING_ACME_EAB_KEY_ID',
    z.string().optional(),
    'Key id for external account binding, if the certificate authority requires it.',
  ),
  acmeKey: domains('MOORING_ACME_EAB_KEY', z.string().optional(), 'Key for external account binding, in base64url.'),
  certificateTimeout: domains(
    'MOORING_CERTIFICATE_TIMEOUT',
    wholeNumber(5, 600, 90),
    'Timeout of a certificate order in seconds.',
    '`90`',
  ),
  sshTimeout: servers(
    'MOORING_SSH_TIMEOUT',
    wholeNumber(1, 600, 15),
    'Timeout of SSH connections to servers in seconds. A server test may take twice as long.',
    '`15`',
  ),
  allowLocalDestination: backups(
    'BACKUP_ALLOW_LOCAL_DESTINATION',
    oneOf(['true', 'false'], 'false').transform((word) => word === 'true'),
    '`true`: allow backup destinations in folders of this machine, inside `BACKUP_LOCAL_ROOT`. Not in cloud mode.',
    '`false`',
  ),
  localDestinationRoot: backups(
    'BACKUP_LOCAL_ROOT',
    z.string().startsWith('/', { error: 'must be an absolute path' }).optional(),
    'Folder of local backup destinations; must not be `/`, a system folder or the data folder.',
  ),
  preflightTimeout: backups(
    'MOORING_PREFLIGHT_TIMEOUT',
    wholeNumber(1, 600, 30),
    'Timeout of a backup destination test in seconds.',
    '`30`',
  ),
  instanceBackup: backups(
    'MOORING_INSTANCE_BACKUP',
    z.union([z.literal('off'), z.string().startsWith('/', { error: 'must be off or an absolute path' })]).optional(),
    'Folder of the nightly backups of Mooring itself, of which seven are kept; `off`: no nightly backups. See [Back up Mooring](../operations/backup.md).',
    '`backups/instance` in the data folder',
  ),
  instanceBackupDestination: backups(
    'MOORING_INSTANCE_BACKUP_DESTINATION',
    z.string().optional(),
    'Name of a backup destination of the instance owner that nightly backups are copied to.',
  ),
  githostUrl: githost(
    'GITHOST_URL',
    z.url({ error: 'must be an http or https URL' }).default('https://github.com'),
    'Address of the git host: GitHub, or your GitHub Enterprise.',
    '`https://github.com`',
  ),
  githostApiUrl: githost(
    'GITHOST_API_URL',
    z.url({ error: 'must be an http or https URL' }).optional(),
    'API address of the git host, if it is not the default.',
    'follows from `GITHOST_URL`',
  ),
  githostAppId: githost('GITHOST_APP_ID', z.string().optional(), 'Number of your GitHub App.'),
  githostAppSlug: githost(
    'GITHOST_APP_SLUG',
    z
      .string()
      .regex(/^[A-Za-z0-9-]+$/, { error: 'must be letters, digits and dashes' })
      .optional(),
    'Slug of the app in its address, where people install it.',
    'looked up at the git host',
  ),
  githostAppPrivateKey: githost(
    'GITHOST_APP_PRIVATE_KEY',
    z.string().optional(),
    'Private key of the app (PEM; `\\n` stands for a new line).',
  ),
  githostAppPrivateKeyFile: githost(
    'GITHOST_APP_PRIVATE_KEY_FILE',
    z.string().optional(),
    'File with the private key of the app.',
  ),
  githostClientId: githost(
    'GITHOST_CLIENT_ID',
    z.string().optional(),
    'Client id of the OAuth client that connects accounts: the one of the app, or of an OAuth app.',
  ),
  githostClientSecret: githost(
    'GITHOST_CLIENT_SECRET',
    z.string().optional(),
    'Secret of the OAuth client. Without it, accounts are connected by device code.',
  ),
  githostWebhookSecret: githost(
    'GITHOST_WEBHOOK_SECRET',
    z.string().min(8, { error: 'must have at least 8 characters' }).optional(),
    'Webhook secret of the app.',
  ),
  pushPollSeconds: githost(
    'MOORING_PUSH_POLL_SECONDS',
    wholeNumber(1, 86_400, 60),
    'Polling interval in seconds for branches without a webhook. Branches with a webhook are polled fifteen times less often.',
    '`60`',
  ),
  githostCli: githost(
    'GITHOST_CLI',
    z.string().default('gh'),
    'Path of the command-line client of the git host, whose sign-in can be used. Not in cloud mode.',
    '`gh`',
  ),
  githostTimeout: githost(
    'GITHOST_TIMEOUT',
    wholeNumber(1, 300, 20),
    'Timeout of git host requests in seconds.',
    '`20`',
  ),
  cloudUrl: cloud(
    'MOORING_CLOUD_URL',
    httpUrl.optional(),
    'Address of the hosted cloud that this instance is linked to. Without its own app and OAuth client, the instance connects the git host through it. Not in cloud mode.',
  ),
  cloudToken: cloud(
    'MOORING_CLOUD_TOKEN',
    z
      .string()
      .regex(/^mrg_pat_[A-Za-z0-9_-]{43}$/, { error: 'must be mrg_pat_ and 43 url-safe characters' })
      .optional(),
    'Your access token in that cloud.',
  ),
  cloudProjects: cloud(
    'MOORING_CLOUD_PROJECTS',
    wholeNumber(0, 1_000_000, 50),
    'In cloud mode: projects of one organization; `0` for no limit.',
    '`50`',
  ),
  cloudBuildsAtOnce: cloud(
    'MOORING_CLOUD_BUILDS_AT_ONCE',
    wholeNumber(0, 1000, 1),
    'In cloud mode: concurrent builds of one organization across all replicas; `0` for no limit.',
    '`1`',
  ),
  cloudMemoryMb: cloud(
    'MOORING_CLOUD_MEMORY_MB',
    wholeNumber(0, 100_000_000, 8192),
    'In cloud mode: total memory of an organization in megabytes; `0` for no limit.',
    '`8192`',
  ),
  cloudCpus: cloud(
    'MOORING_CLOUD_CPUS',
    partOfNumber(100_000, 8),
    'In cloud mode: total processors of an organization; `0` for no limit.',
    '`8`',
  ),
  cloudContainerMemoryMb: cloud(
    'MOORING_CLOUD_CONTAINER_MEMORY_MB',
    wholeNumber(0, 100_000_000, 512),
    'In cloud mode: default memory of a container in megabytes; `0`: the maximum.',
    '`512`',
  ),
  cloudContainerCpus: cloud(
    'MOORING_CLOUD_CONTAINER_CPUS',
    partOfNumber(100_000, 1),
    'In cloud mode: default processors of a container; `0`: the maximum.',
    '`1`',
  ),
  cloudMostContainerMemoryMb: cloud(
    'MOORING_CLOUD_MOST_CONTAINER_MEMORY_MB',
    wholeNumber(0, 100_000_000, 4096),
    'In cloud mode: maximum memory of a container in megabytes; `0` for no limit.',
    '`4096`',
  ),
  cloudMostContainerCpus: cloud(
    'MOORING_CLOUD_MOST_CONTAINER_CPUS',
    partOfNumber(100_000, 2),
    'In cloud mode: maximum processors of a container; `0` for no limit.',
    '`2`',
  ),
  cloudBuildMemoryMb: cloud(
    'MOORING_CLOUD_BUILD_MEMORY_MB',
    wholeNumber(0, 100_000_000, 4096),
    'In cloud mode: memory of a build in megabytes, if the engine can limit it (see [run-a-cloud.md](../operations/run-a-cloud.md)); `0` for no limit.',
    '`4096`',
  ),
  cloudFirewall: cloud(
    'MOORING_CLOUD_FIREWALL',
    oneOf(['check', 'apply', 'off'], 'check'),
    'In cloud mode, firewall between containers and this machine, its network and the metadata service: `check` logs what is open; `apply` adds and maintains iptables rules (needs root); `off` does neither. See [run-a-cloud.md](../operations/run-a-cloud.md).',
    '`check`',
  ),
  allowPrivateTargets: limits(
    'MOORING_ALLOW_PRIVATE_TARGETS',
    z.union([z.enum(['all', 'none']), addressRanges]).optional(),
    'Private addresses that Mooring may connect to (servers, backup destinations, git hosts): `all`, `none`, or IP addresses and CIDR ranges, separated by commas. Link-local addresses are never allowed.',
    '`all`, in cloud mode `none`',
  ),
  requestLimit: limits(
    'MOORING_REQUEST_LIMIT',
    wholeNumber(0, 10_000_000, 60_000),
    'Requests per minute of a signed-in caller, per replica; `0` for no limit.',
    '`60000`',
  ),
  anonymousRequestLimit: limits(
    'MOORING_ANONYMOUS_REQUEST_LIMIT',
    wholeNumber(0, 10_000_000, 3000),
    'Requests per minute of an address without credentials, per replica; `0` for no limit.',
    '`3000`',
  ),
} satisfies Record<string, Setting<z.ZodType>>;

/** Variables of the command line, listed so that the service does not report them as unknown. */
export const commandLineVariables: Record<string, string> = {
  MOORING_URL: 'Address of the instance, instead of the stored login.',
  MOORING_TOKEN: 'Access token of the instance.',
  MOORING_CONFIG: 'File with the stored login; `~/.config/mooring/config.json` by default.',
};

export type Settings = { [K in keyof typeof settings]: z.output<(typeof settings)[K]['schema']> };
