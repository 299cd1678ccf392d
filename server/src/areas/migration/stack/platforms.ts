import { instanceLabel, projectLabel, serviceLabel } from '../../../drivers/runtime/docker/labels.ts';
import type { ContainerFacts } from '../../../drivers/runtime/docker/survey/answers.ts';

export const stackOrigins = [
  'compose',
  'swarm',
  'coolify',
  'dokploy',
  'caprover',
  'portainer',
  'dokku',
  'mooring',
  'hand',
] as const;
export type StackOrigin = (typeof stackOrigins)[number];

type Labels = Readonly<Record<string, string>>;

export const composeLabel = (name: string): string => `com.docker.compose.${name}`;
const swarmService = 'com.docker.swarm.service.name';

const hasPrefix = (labels: Labels, ...prefixes: string[]): boolean =>
  Object.keys(labels).some((key) => prefixes.some((prefix) => key.startsWith(prefix)));

/** Returns the paths of the compose file and its folder. */
const composePlaces = (labels: Labels): string[] => [
  ...(labels[composeLabel('project.config_files')] ?? '').split(','),
  labels[composeLabel('project.working_dir')] ?? '',
];
const isBelow = (labels: Labels, folder: string): boolean =>
  composePlaces(labels).some((path) => path.startsWith(folder));

interface Platform {
  source: StackOrigin;
  is: (labels: Labels, name: string, networks: readonly string[]) => boolean;
  /** Names of the containers and services that are the platform itself. */
  own?: RegExp;
  /** Labels of the project and service name; the first one present wins. */
  projects: string[];
  services: string[];
}

/** Labels of platforms, in order of precedence. */
const platforms: Platform[] = [
  {
    source: 'mooring',
    is: (labels) => labels[instanceLabel] !== undefined,
    projects: [projectLabel],
    services: [serviceLabel],
  },
  {
    source: 'coolify',
    is: (labels) => hasPrefix(labels, 'coolify.'),
    projects: [composeLabel('project'), 'coolify.projectName', 'coolify.name'],
    services: [composeLabel('service'), 'coolify.serviceName', 'coolify.name'],
  },
  {
    source: 'dokploy',
    is: (labels, name, networks) =>
      hasPrefix(labels, 'dokploy.', 'com.dokploy.') ||
      isBelow(labels, '/etc/dokploy/') ||
      networks.includes('dokploy-network'),
    own: /^dokploy(-postgres|-redis|-traefik)?$/,
    projects: [composeLabel('project'), 'com.docker.stack.namespace'],
    services: [composeLabel('service'), swarmService],
  },
  {
    source: 'caprover',
    is: (labels, name) =>
      hasPrefix(labels, 'captain.', 'caprover.') ||
      /^(srv-captain--|captain-)/.test(labels[swarmService] ?? name.replace(/^\//, '')),
    projects: [composeLabel('project'), 'captain.appName'],
    services: [composeLabel('service'), swarmService, 'captain.appName'],
    own: /^captain-/,
  },
  {
    source: 'portainer',
    is: (labels) => hasPrefix(labels, 'io.portainer.') || isBelow(labels, '/data/compose/'),
    projects: [composeLabel('project'), 'com.docker.stack.namespace'],
    services: [composeLabel('service'), swarmService],
  },
  {
    source: 'dokku',
    is: (labels) =>
      hasPrefix(labels, 'com.dokku.') || 'dokku' in labels || labels['org.label-schema.vendor'] === 'dokku',
    projects: ['com.dokku.app-name', composeLabel('project')],
    services: ['com.dokku.process-type', composeLabel('service')],
  },
  {
    source: 'swarm',
    is: (labels) => hasPrefix(labels, 'com.docker.swarm.'),
    projects: ['com.docker.stack.namespace'],
    services: [swarmService],
  },
  {
    source: 'compose',
    is: (labels) => Boolean(labels[composeLabel('project')]),
    projects: [composeLabel('project')],
    services: [composeLabel('service')],
  },
];

/** Name and origin of a container. */
export interface ContainerIdentity {
  source: StackOrigin;
  project: string | null;
  service: string;
  /** A container that a Swarm restarts on any node. Its service is not known. */
  isSwarmTask: boolean;
  /** A part of the platform, such as its proxy. */
  isPlatform: boolean;
  /** Container of `docker compose run`. */
  isOneOff: boolean;
  /** Replica number, starting at 1. */
  number: number;
}

export function stackIdentityOf({ Name, Config, NetworkSettings, swarm }: ContainerFacts): ContainerIdentity {
  const { Labels: labels } = Config;
  const networks = Object.keys(NetworkSettings.Networks);
  const platform = platforms.find(({ is }) => is(labels, Name, networks));
  const first = (names: string[]) => names.map((name) => labels[name]).find(Boolean);
  const project = (platform && first(platform.projects)) || null;
  const isOneOff = labels[composeLabel('oneoff')]?.toLowerCase() === 'true';
  const named = isOneOff ? undefined : platform && first(platform.services);
  const ofStack = project !== null && named?.startsWith(`${project}_`) ? named.slice(project.length + 1) : named;
  return {
    source: platform?.source ?? 'hand',
    project,
    service: ofStack || Name.replace(/^\//, '') || 'unnamed',
    isSwarmTask: !swarm && hasPrefix(labels, 'com.docker.swarm.task'),
    isPlatform: (project === null && platform?.own?.test(Name.replace(/^\//, ''))) ?? false,
    isOneOff,
    number: Number(labels[composeLabel('container-number')]) || 1,
  };
}
