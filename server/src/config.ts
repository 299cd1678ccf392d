import { BlockList, isIP } from 'node:net';
import { join } from 'node:path';
import type { z } from './lib/zod/index.ts';
import { StartError } from './errors.ts';
import type { OutboundReach } from './lib/outbound.ts';
import { commandLineVariables, settings, type Settings } from './settings.ts';

export type Config = Settings;

/** Reads the settings from the environment. A bad value throws a StartError that names the setting. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const config: Record<string, unknown> = {};
  for (const [key, { variable, formerly, schema }] of Object.entries(settings)) {
    const name = formerly !== undefined && !environment[variable] && environment[formerly] ? formerly : variable;
    const given = environment[name];
    const result = schema.safeParse(given === '' ? undefined : given);
    if (!result.success) throw new StartError(`${name}: ${sentence(result.error)}`);
    config[key] = result.data;
  }
  return checkTogether(config as Config);
}

/** Returns which addresses outbound connections of users may reach. */
export function outboundReachOf({
  allowPrivateTargets,
  mode,
}: Pick<Config, 'allowPrivateTargets' | 'mode'>): OutboundReach {
  const chosen = allowPrivateTargets ?? (mode === 'cloud' ? 'none' : 'all');
  return chosen === 'all' ? 'private' : chosen === 'none' ? 'public' : chosen;
}

/** Returns the socket on which the edge reaches the service. The edge of a Swarm is in a container, which gets the
 * folder of the socket and nothing else. */
export const serviceSocketOf = ({ dataDir, runtime }: Pick<Config, 'dataDir' | 'runtime'>): string =>
  join(dataDir, ...(runtime === 'swarm' ? ['edge-socket'] : []), 'service.sock');

/** Returns the registry that images are sent to; undefined if there is none. */
export function registryOf(config: Config): { registry: string; login: Login | undefined } | undefined {
  const { swarmRegistry: registry, swarmRegistryUser: username, swarmRegistryPassword: password } = config;
  return registry === undefined
    ? undefined
    : { registry, login: username && password ? { username, password } : undefined };
}

type Login = { username: string; password: string };

type DashboardSettings = Pick<
  Config,
  'publicUrl' | 'acmeDirectory' | 'edgeTlsPort' | 'edgePublicTlsPort' | 'trustedProxies'
>;

/** Returns the host name of the dashboard if the edge serves it; see the description of MOORING_PUBLIC_URL. */
export function dashboardHostOf(config: DashboardSettings): string | undefined {
  const { publicUrl, acmeDirectory, edgeTlsPort, edgePublicTlsPort = edgeTlsPort } = config;
  if (publicUrl === undefined || acmeDirectory === 'none' || isProxyHere(config.trustedProxies)) return undefined;
  const { protocol, hostname, port } = new URL(publicUrl);
  const isName = !isIP(hostname) && !hostname.startsWith('[');
  return protocol === 'https:' && isName && Number(port || 443) === edgePublicTlsPort ? hostname : undefined;
}

/** A trusted proxy on this machine serves the dashboard. */
function isProxyHere(ranges: readonly string[]): boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const isSix = isIP(address) === 6;
    list.addSubnet(address, Number(bits ?? (isSix ? 128 : 32)), isSix ? 'ipv6' : 'ipv4');
  }
  return list.check('127.0.0.1') || list.check('::1', 'ipv6');
}

/** How edges treat those who connect to them. */
export const edgeClientsOf = ({ trustedProxies, edgeAddressLimit: perAddress }: Config) => ({
  trustedProxies,
  perAddress,
});

/** Default and maximum for one container; null is unlimited. */
export interface ResourceBounds {
  usual: number | null;
  most: number | null;
}

/** Limits of each container in cloud mode. */
export interface ContainerLimits {
  memoryBytes: ResourceBounds;
  cpus: ResourceBounds;
}

/** Limits of one organization in cloud mode; null is unlimited. */
export interface OrganizationLimits {
  projects: number | null;
  buildsAtOnce: number | null;
  memoryBytes: number | null;
  cpus: number | null;
  container: ContainerLimits;
}

const megabyte = 1_048_576;

/** Returns undefined outside cloud mode, where users own the machine. */
export function organizationLimitsOf(config: Config): OrganizationLimits | undefined {
  if (config.mode !== 'cloud') return undefined;
  const orNone = (value: number): number | null => value || null;
  const bounds = (usual: number, most: number): ResourceBounds => ({
    usual: orNone(usual || most),
    most: orNone(most),
  });
  return {
    projects: orNone(config.cloudProjects),
    buildsAtOnce: orNone(config.cloudBuildsAtOnce),
    memoryBytes: orNone(config.cloudMemoryMb * megabyte),
    cpus: orNone(config.cloudCpus),
    container: {
      memoryBytes: bounds(config.cloudContainerMemoryMb * megabyte, config.cloudMostContainerMemoryMb * megabyte),
      cpus: bounds(config.cloudContainerCpus, config.cloudMostContainerCpus),
    },
  };
}

/** Returns the maximum number of projects per organization; null is unlimited. */
export function mostProjectsOf(config: Config): number | null {
  const limits = [organizationLimitsOf(config)?.projects, config.projectsPerOrganization || null];
  const set = limits.filter((limit) => typeof limit === 'number');
  return set.length ? Math.min(...set) : null;
}

/** Returns variables that look like settings but are none, most likely typos. */
export function unknownVariables(environment: Record<string, string | undefined>): string[] {
  const known = new Set([
    ...Object.values(settings).flatMap(({ variable, formerly = variable }) => [variable, formerly]),
    ...Object.keys(commandLineVariables),
  ]);
  return Object.keys(environment).filter((name) => name.startsWith('MOORING_') && !known.has(name));
}

function checkTogether(config: Config): Config {
  if (config.adminPassword && !config.adminEmail)
    throw new StartError('MOORING_ADMIN_PASSWORD: MOORING_ADMIN_EMAIL is missing');
  if (config.adminEmail && !config.adminPassword && !config.adminToken)
    throw new StartError('MOORING_ADMIN_EMAIL: MOORING_ADMIN_PASSWORD or MOORING_ADMIN_TOKEN is missing');
  if (config.cloudUrl && !config.cloudToken) throw new StartError('MOORING_CLOUD_URL: MOORING_CLOUD_TOKEN is missing');
  if (config.cloudToken && !config.cloudUrl) throw new StartError('MOORING_CLOUD_TOKEN: MOORING_CLOUD_URL is missing');
  if (config.acmeKeyId && !config.acmeKey)
    throw new StartError('MOORING_ACME_EAB_KEY_ID: MOORING_ACME_EAB_KEY is missing');
  if (config.acmeKey && !config.acmeKeyId)
    throw new StartError('MOORING_ACME_EAB_KEY: MOORING_ACME_EAB_KEY_ID is missing');
  checkCloudLimits(config);
  return config;
}

/** A total limit needs a limit per container: one without a limit could use up the total. */
function checkCloudLimits(config: Config): void {
  for (const [what, all, usual, most] of [
    ['MEMORY_MB', config.cloudMemoryMb, config.cloudContainerMemoryMb, config.cloudMostContainerMemoryMb],
    ['CPUS', config.cloudCpus, config.cloudContainerCpus, config.cloudMostContainerCpus],
  ] as const) {
    if (all && !usual && !most)
      throw new StartError(`MOORING_CLOUD_${what}: MOORING_CLOUD_CONTAINER_${what} must not be 0 in that case`);
    if (most && usual > most)
      throw new StartError(`MOORING_CLOUD_CONTAINER_${what}: must be at most MOORING_CLOUD_MOST_CONTAINER_${what}`);
  }
}

const sentence = (error: z.ZodError): string => error.issues.map(({ message }) => message).join('; ');

/** Returns the settings reference, `docs/reference/configuration.md`. */
export function configurationPage(): string {
  const groups = Map.groupBy(Object.values(settings), ({ group }) => group);
  const parts = [...groups].map(([group, members]) => {
    const rows = members.map((s) => `| \`${s.variable}\` | ${s.shown ?? 'none'} | ${s.description} |`);
    return [`## ${group}`, '', '| variable | default | meaning |', '|---|---|---|', ...rows, ''].join('\n');
  });
  const intro =
    'Mooring reads its settings from environment variables when it starts. None is needed: every one has a default that\n' +
    'works on one machine. A value that makes no sense stops the start with one line that names the variable; a\n' +
    '`MOORING_` variable that does not exist is reported as a warning.\n\n' +
    'This page is printed from `server/src/settings.ts` by `npm run generate`.\n';
  const commandLine = Object.entries(commandLineVariables).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`);
  const ofCommandLine = ['## Command line', '', '| variable | meaning |', '|---|---|', ...commandLine, ''].join('\n');
  return `# Configuration\n\n${intro}\n${[...parts, ofCommandLine].join('\n')}`;
}
