import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import {
  addressRanges,
  httpUrl,
  nameServers,
  oneOf,
  optionalPort,
  partOfNumber,
  uidRange,
  wholeNumber,
} from './setting-kinds.ts';

type Setting<T extends z.ZodType> = {
  group: string;
  variable: string;
  description: string;
  /** How the default reads in the documentation. */
  shown?: string;
  schema: T;
};

const settingsOf = (group: string) => {
  return <T extends z.ZodType>(variable: string, schema: T, description: string, shown?: string): Setting<T> => {
    return { group, variable, schema, description, shown };
  };
};

const start = settingsOf('Start');
const access = settingsOf('Access');
const deployments = settingsOf('Deployments');
const domains = settingsOf('Domains and certificates');
const servers = settingsOf('Servers');
const backups = settingsOf('Backups');
const githost = settingsOf('Git host');
const cloud = settingsOf('Cloud');
const limits = settingsOf('Limits');

/** Every setting, once: how it is read, what it means, how it is documented. */
export const settings = {
  port: start('PORT', wholeNumber(0, 65_535, 4600), 'Port of API and dashboard; `0` takes a free one.', '`4600`'),
  host: start(
    'HOST',
    z.string().default('127.0.0.1'),
    'Address to listen on. Use `0.0.0.0` behind a TLS proxy.',
    '`127.0.0.1`',
  ),
  dataDir: start(
    'MOORING_DATA_DIR',
    z
      .string()
      .default(() => defaultDataDir(process.getuid?.() === 0, homedir()))
      .transform((path) => resolve(path)),
    'Folder with the database, the instance key and everything else that must be kept. Nothing outside it is written.',
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
    'Address under which people reach this instance; used in links and to tell same-origin requests.',
    'the listening address',
  ),
  databaseUrl: start(
    'DATABASE_URL',
    z
      .string()
      .regex(/^postgres(ql)?:\/\//, { error: 'must begin with postgres:// or postgresql://' })
      .optional(),
    'PostgreSQL to use instead of the embedded SQLite; needed for several replicas.',
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
  trustedProxies: start(
    'MOORING_TRUSTED_PROXIES',
    addressRanges.prefault(''),
    'Addresses or CIDR ranges of proxies whose `X-Forwarded-*` headers are believed, in front of the service and in front of apps.',
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
    'Instance key that seals stored secrets: 32 random bytes in base64 or hex (`openssl rand -base64 32`). Set it when several replicas share a database.',
    'generated, kept in the data folder',
  ),
  previousSecretKey: access(
    'MOORING_SECRET_KEY_PREVIOUS',
    z.string().optional(),
    'The key before a rotation, until `mooring key rotate` has run.',
  ),
  sessionDays: access(
    'MOORING_SESSION_DAYS',
    wholeNumber(1, 365, 30),
    'Days until a sign-in in the browser ends.',
    '`30`',
  ),
  auditDays: access('MOORING_AUDIT_DAYS', wholeNumber(1, 3650, 365), 'Days that audit entries are kept.', '`365`'),
  runtime: deployments(
    'MOORING_RUNTIME',
    oneOf(['auto', 'process', 'docker'], 'auto'),
    'What releases run on. `process`: processes of this machine, each under a supervisor of its own. `docker`: containers of the engine at `DOCKER_HOST`, built there as images. `auto`: `docker` if an engine answers there, and from then on.',
    '`auto`',
  ),
  dockerHost: deployments(
    'DOCKER_HOST',
    z.string().default('unix:///var/run/docker.sock'),
    'The container engine: its socket, or `tcp://` and an address that nobody else reaches.',
    '`unix:///var/run/docker.sock`',
  ),
  containerAddress: deployments(
    'MOORING_CONTAINER_ADDRESS',
    z.ipv4({ error: 'must be an IPv4 address' }).default('127.0.0.1'),
    'The address that ports of containers are bound to and that the edge reaches them at.',
    '`127.0.0.1`',
  ),
  buildCacheMb: deployments(
    'MOORING_BUILD_CACHE_MB',
    wholeNumber(0, 1_000_000, 10_000),
    'How many megabytes of cached steps our builds may leave in the engine. What was used longest ago goes first.',
    '`10000`',
  ),
  edgePort: deployments(
    'MOORING_EDGE_PORT',
    wholeNumber(0, 65_535, 4680),
    'Port under which deployed apps answer.',
    '`4680`',
  ),
  edgeHost: deployments(
    'MOORING_EDGE_HOST',
    z.string().default('127.0.0.1'),
    'Address that the edge listens on.',
    '`127.0.0.1`',
  ),
  edgeTlsPort: deployments(
    'MOORING_EDGE_TLS_PORT',
    wholeNumber(0, 65_535, 4643),
    'Port under which deployed apps answer with TLS.',
    '`4643`',
  ),
  edgePublicPort: deployments(
    'MOORING_EDGE_PUBLIC_PORT',
    optionalPort,
    'Port under which visitors reach `MOORING_EDGE_PORT`, where something passes it on: `80` mostly.',
    'the port itself',
  ),
  edgePublicTlsPort: deployments(
    'MOORING_EDGE_PUBLIC_TLS_PORT',
    optionalPort,
    'Port under which visitors reach `MOORING_EDGE_TLS_PORT`, where something passes it on: `443` mostly.',
    'the port itself',
  ),
  edgeAddressLimit: deployments(
    'MOORING_EDGE_ADDRESS_LIMIT',
    wholeNumber(0, 1_000_000, 1000),
    'Connections, and requests at once, that one client address (IPv6: one /64 network) may have open at the edge of this machine. More are refused with 429 and `Retry-After`. Trusted proxies are not limited, but the clients that they name are. `0`: no limit.',
    '`1000`',
  ),
  baseDomain: deployments(
    'MOORING_BASE_DOMAIN',
    z
      .string()
      .regex(/^[a-z0-9.-]+$/, { error: 'must be a domain name' })
      .default('localhost'),
    'Projects answer under `<slug>.` and this name.',
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
    'Folders that local sources may be under, separated by colons. With the default, only the instance owner may use local sources; with this setting, everybody who may write projects. Hidden folders, home folders and those of Mooring itself are always refused.',
    'the working folder, your home and the temporary folder, for the instance owner alone',
  ),
  processIsolation: deployments(
    'MOORING_PROCESS_ISOLATION',
    oneOf(['auto', 'none'], 'auto'),
    'Where the service is not root and apps run as processes: `auto` confines each app and build by user namespaces; where the ' +
      'machine has none, only owners and admins of the first organization deploy. `none` runs them with the rights of the ' +
      'service, which includes reading its key and the secrets of every project. Has no effect for root, where each project ' +
      'has a user of its own.',
    '`auto`',
  ),
  processLimit: deployments(
    'MOORING_PROCESS_LIMIT',
    wholeNumber(64, 4_000_000, 2048),
    'Processes and threads of one project (as root) or of one app or build (by namespaces), where apps run as processes. ' +
      'Before Linux 5.14 it counts everything of the user of the service.',
    '`2048`',
  ),
  projectUids: deployments(
    'MOORING_PROJECT_UIDS',
    uidRange.optional(),
    'As root: numeric users for projects, such as `1900000000-1900065535`. A project keeps the one that it has.',
    '65536 users from 1879048192 up, chosen by the instance',
  ),
  projectsPerOrganization: deployments(
    'MOORING_PROJECTS_PER_ORGANIZATION',
    wholeNumber(0, 1_000_000, 0),
    'Projects of one organization; `0` for no limit.',
    '`0`',
  ),
  buildsAtOnce: deployments(
    'MOORING_BUILDS_AT_ONCE',
    wholeNumber(1, 64, 2),
    'Deployments that one service builds at the same time.',
    '`2`',
  ),
  buildTimeout: deployments(
    'MOORING_BUILD_TIMEOUT',
    wholeNumber(1, 86_400, 1800),
    'Seconds that a build may take.',
    '`1800`',
  ),
  startTimeout: deployments(
    'MOORING_START_TIMEOUT',
    wholeNumber(1, 3600, 60),
    'Seconds until a new release must answer its check.',
    '`60`',
  ),
  engineTimeout: deployments(
    'MOORING_ENGINE_TIMEOUT',
    wholeNumber(1, 86_400, 600),
    'Seconds that a deployment waits for a container engine that is away.',
    '`600`',
  ),
  promptTimeout: deployments(
    'MOORING_PROMPT_TIMEOUT',
    wholeNumber(1, 604_800, 1800),
    'Seconds that a question waits for its answer.',
    '`1800`',
  ),
  publicAddresses: domains(
    'MOORING_PUBLIC_ADDRESSES',
    addressRanges.optional(),
    'Addresses that people are told to point their names to, where this machine cannot know them: it is behind a router or a load balancer.',
    'those of this machine',
  ),
  dnsServers: domains(
    'MOORING_DNS_SERVERS',
    nameServers.optional(),
    'Name servers that are asked where a name leads, as `1.1.1.1` or `10.0.0.2:5353`, separated by commas.',
    'those of this machine',
  ),
  acmeDirectory: domains(
    'MOORING_ACME_DIRECTORY',
    z
      .union([z.literal('none'), z.url({ error: 'must be the URL of an ACME directory, or none' })])
      .default('https://acme-v02.api.letsencrypt.org/directory'),
    'The certificate authority. `none`: certificates are only uploaded.',
    "Let's Encrypt",
  ),
  acmeEmail: domains(
    'MOORING_ACME_EMAIL',
    z.email({ error: 'must be an e-mail address' }).optional(),
    'Where the certificate authority writes to, when it wants to.',
  ),
  acmeCaFile: domains(
    'MOORING_ACME_CA_FILE',
    z.string().optional(),
    'File with the certificate (PEM) that the authority itself is known by, for an authority of your own.',
    'the usual ones',
  ),
  acmeKeyId: domains(
    'MOORING_ACME_EAB_KEY_ID',
    z.string().optional(),
    'Name of the key that binds us to an account at the authority, where it wants one (external account binding).',
  ),
  acmeKey: domains('MOORING_ACME_EAB_KEY', z.string().optional(), 'That key, in base64url.'),
  certificateTimeout: domains(
    'MOORING_CERTIFICATE_TIMEOUT',
    wholeNumber(5, 600, 90),
    'Seconds that an order of a certificate may take.',
    '`90`',
  ),
  sshTimeout: servers(
    'MOORING_SSH_TIMEOUT',
    wholeNumber(1, 600, 15),
    'Seconds within which a managed server must let us in. A test of one may take twice as long altogether.',
    '`15`',
  ),
  allowLocalDestination: backups(
    'BACKUP_ALLOW_LOCAL_DESTINATION',
    oneOf(['true', 'false'], 'false').transform((word) => word === 'true'),
    '`true` allows backup destinations that are folders of this machine, inside of `BACKUP_LOCAL_ROOT`. Never in cloud mode.',
    '`false`',
  ),
  localDestinationRoot: backups(
    'BACKUP_LOCAL_ROOT',
    z.string().startsWith('/', { error: 'must be an absolute path' }).optional(),
    'The folder that local backup destinations are in. One of its own: not `/`, not a folder of the system, not the data folder.',
  ),
  preflightTimeout: backups(
    'MOORING_PREFLIGHT_TIMEOUT',
    wholeNumber(1, 600, 30),
    'Seconds within which a backup destination has to answer when it is tried.',
    '`30`',
  ),
  githostUrl: githost(
    'GITHOST_URL',
    z.url({ error: 'must be an http or https URL' }).default('https://github.com'),
    'The pages of the git host: GitHub, or a GitHub Enterprise of your own.',
    '`https://github.com`',
  ),
  githostApiUrl: githost(
    'GITHOST_API_URL',
    z.url({ error: 'must be an http or https URL' }).optional(),
    'Its API, where it is not at the usual place.',
    'follows from `GITHOST_URL`',
  ),
  githostAppId: githost('GITHOST_APP_ID', z.string().optional(), 'Number of your GitHub App.'),
  githostAppSlug: githost(
    'GITHOST_APP_SLUG',
    z
      .string()
      .regex(/^[A-Za-z0-9-]+$/, { error: 'must be letters, digits and dashes' })
      .optional(),
    'Name of the app in its address; people are sent there to install it.',
    'the host is asked',
  ),
  githostAppPrivateKey: githost(
    'GITHOST_APP_PRIVATE_KEY',
    z.string().optional(),
    'Private key of the app (PEM; `\\n` stands for a new line).',
  ),
  githostAppPrivateKeyFile: githost(
    'GITHOST_APP_PRIVATE_KEY_FILE',
    z.string().optional(),
    'File with the private key, instead of the key itself.',
  ),
  githostClientId: githost(
    'GITHOST_CLIENT_ID',
    z.string().optional(),
    'OAuth client with which accounts are connected: that of the app, or an OAuth app of its own.',
  ),
  githostClientSecret: githost(
    'GITHOST_CLIENT_SECRET',
    z.string().optional(),
    'Secret of the OAuth client. Without it accounts are connected by a code that is typed at the host.',
  ),
  githostWebhookSecret: githost(
    'GITHOST_WEBHOOK_SECRET',
    z.string().min(8, { error: 'must have at least 8 characters' }).optional(),
    'Secret with which the host signs what it announces to the app.',
  ),
  pushPollSeconds: githost(
    'MOORING_PUSH_POLL_SECONDS',
    wholeNumber(1, 86_400, 60),
    'Seconds between two looks at the branches of projects whose pushes no webhook announces. Where one does, it is looked fifteen times as seldom.',
    '`60`',
  ),
  githostCli: githost(
    'GITHOST_CLI',
    z.string().default('gh'),
    'The command-line client of the host, whose sign-in can be used. Never in cloud mode.',
    '`gh`',
  ),
  githostTimeout: githost(
    'GITHOST_TIMEOUT',
    wholeNumber(1, 300, 20),
    'Seconds within which the git host must have answered what one request needs.',
    '`20`',
  ),
  cloudUrl: cloud(
    'MOORING_CLOUD_URL',
    httpUrl.optional(),
    'The hosted cloud that this instance is linked to. Without an app and an OAuth client of its own, it asks there where accounts of the git host are connected. Not in cloud mode.',
  ),
  cloudToken: cloud(
    'MOORING_CLOUD_TOKEN',
    z
      .string()
      .regex(/^mrg_pat_[A-Za-z0-9_-]{43}$/, { error: 'must be mrg_pat_ and 43 url-safe characters' })
      .optional(),
    'Access token of yours in that cloud.',
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
    'In cloud mode: deployments of one organization that are built at the same time, on all replicas together; `0` for no limit.',
    '`1`',
  ),
  cloudMemoryMb: cloud(
    'MOORING_CLOUD_MEMORY_MB',
    wholeNumber(0, 100_000_000, 8192),
    'In cloud mode: megabytes of memory that everything an organization runs may have together; `0` for no limit.',
    '`8192`',
  ),
  cloudCpus: cloud(
    'MOORING_CLOUD_CPUS',
    partOfNumber(100_000, 8),
    'In cloud mode: processors that everything an organization runs may have together; `0` for no limit.',
    '`8`',
  ),
  cloudContainerMemoryMb: cloud(
    'MOORING_CLOUD_CONTAINER_MEMORY_MB',
    wholeNumber(0, 100_000_000, 512),
    'In cloud mode: megabytes of memory of a container whose project says nothing; `0`: the most that there is.',
    '`512`',
  ),
  cloudContainerCpus: cloud(
    'MOORING_CLOUD_CONTAINER_CPUS',
    partOfNumber(100_000, 1),
    'In cloud mode: processors of a container whose project says nothing; `0`: the most that there is.',
    '`1`',
  ),
  cloudMostContainerMemoryMb: cloud(
    'MOORING_CLOUD_MOST_CONTAINER_MEMORY_MB',
    wholeNumber(0, 100_000_000, 4096),
    'In cloud mode: the most megabytes of memory that one container gets, whatever its project says; `0` for no limit.',
    '`4096`',
  ),
  cloudMostContainerCpus: cloud(
    'MOORING_CLOUD_MOST_CONTAINER_CPUS',
    partOfNumber(100_000, 2),
    'In cloud mode: the most processors that one container gets, whatever its project says; `0` for no limit.',
    '`2`',
  ),
  cloudBuildMemoryMb: cloud(
    'MOORING_CLOUD_BUILD_MEMORY_MB',
    wholeNumber(0, 100_000_000, 4096),
    'In cloud mode: megabytes of memory of a build, as far as the engine can limit that (see [cloud.md](cloud.md)); `0` for no limit.',
    '`4096`',
  ),
  cloudFirewall: cloud(
    'MOORING_CLOUD_FIREWALL',
    oneOf(['check', 'apply', 'off'], 'check'),
    'In cloud mode, what keeps containers from this machine, its network and the metadata service: `check` only looks at the rules of the machine, and the log says what is open; `apply` puts rules of our own in place with iptables and keeps them (needs root); `off` does neither. See [cloud.md](cloud.md).',
    '`check`',
  ),
  allowPrivateTargets: limits(
    'MOORING_ALLOW_PRIVATE_TARGETS',
    z.union([z.enum(['all', 'none']), addressRanges]).optional(),
    'Private addresses that people may have us connect to (servers, backup destinations, git hosts): `all`, `none`, or IP addresses and CIDR ranges, separated by commas. Link-local addresses, where clouds keep credentials, never.',
    '`all`, in cloud mode `none`',
  ),
  requestLimit: limits(
    'MOORING_REQUEST_LIMIT',
    wholeNumber(0, 10_000_000, 60_000),
    'Requests a minute of one signed-in caller, per replica; `0` for no limit.',
    '`60000`',
  ),
  anonymousRequestLimit: limits(
    'MOORING_ANONYMOUS_REQUEST_LIMIT',
    wholeNumber(0, 10_000_000, 3000),
    'Requests a minute of one address without credentials, per replica; `0` for no limit.',
    '`3000`',
  ),
} satisfies Record<string, Setting<z.ZodType>>;

/** Variables that the command line reads; the service knows them only so as not to take them for mistakes. */
export const commandLineVariables: Record<string, string> = {
  MOORING_URL: 'Instance that the command talks to, instead of the one that `mooring login` stored.',
  MOORING_TOKEN: 'Access token for it.',
  MOORING_CONFIG: 'File with the stored login; `~/.config/mooring/config.json` by default.',
};

export type Settings = { [K in keyof typeof settings]: z.output<(typeof settings)[K]['schema']> };

/** Users of projects have to pass the folder, and cannot pass root's home. A folder that is in use stays in use. */
export function defaultDataDir(isRoot: boolean, home: string): string {
  const inHome = join(home, '.mooring');
  const isInUse = existsSync(inHome) && readdirSync(inHome).length > 0;
  return isRoot && !isInUse ? '/var/lib/mooring' : inHome;
}
